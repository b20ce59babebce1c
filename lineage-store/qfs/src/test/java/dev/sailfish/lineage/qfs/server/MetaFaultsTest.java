package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.testkit.qfs.QfsServerSettings;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A metaserver that fails: another address, or the same again, and nothing done twice. */
@Timeout(60)
class MetaFaultsTest {
  private QfsTestServer qfs;
  private QfsClient client;

  @BeforeEach
  void start() {
    qfs = QfsTestServer.start(QfsServerSettings.DEFAULTS.servers(3, 1));
    client = Clients.impatient(qfs);
  }

  @AfterEach
  void stop() {
    client.close();
    qfs.close();
  }

  private static boolean breaksTheConnection(Fault fault) {
    return switch (fault) {
      case BUSY, DISK_FAILED, BAD_CHECKSUM, LEASE_EXPIRED, FLIP_BYTE, CUT_BODY -> false;
      default -> true;
    };
  }

  @ParameterizedTest
  @EnumSource
  void doesOnceWhatHadABadAnswer(Fault fault) throws IOException {
    if (!breaksTheConnection(fault)) {
      return;
    }
    for (String operation : new String[] {"MKDIR", "CREATE", "RENAME", "REMOVE", "RMDIR"}) {
      fault.set(qfs.metaFaults(0).on(operation));
    }
    client.meta().makeDirectory("/d", 0755);
    client.meta().create("/d/f", CreateOptions.DEFAULTS);
    client.meta().rename("/d/f", "/d/g", false);
    client.meta().remove("/d/g");
    client.meta().removeDirectory("/d");
    assertThat(client.meta().list("/", "", 100).entries()).allMatch(e -> e.name().startsWith("."));
  }

  @ParameterizedTest
  @EnumSource
  void looksAgainAfterABadAnswer(Fault fault) throws IOException {
    if (!breaksTheConnection(fault)) {
      return;
    }
    client.meta().makeDirectory("/d", 0755);
    fault.set(qfs.metaFaults(0).on("LOOKUP_PATH"));
    fault.set(qfs.metaFaults(0).on("READDIRPLUS"));
    assertThat(client.stat("/d").directory()).isTrue();
    assertThat(client.meta().list("/", "", 10).entries()).extracting("name").contains("d");
  }

  @Test
  void goesToAnotherAddressWhenOneDies() throws IOException {
    client.meta().makeDirectory("/d", 0755);
    qfs.stopMeta(0);
    assertThat(client.stat("/d").directory()).isTrue();
    qfs.stopMeta(1);
    assertThat(client.stat("/d").directory()).isTrue();
    qfs.restartMeta(0);
    qfs.stopMeta(2);
    assertThat(client.stat("/d").directory()).isTrue();
  }

  @Test
  void findsTheAddressThatLeads() throws IOException {
    qfs.makePrimary(2);
    client.meta().makeDirectory("/d", 0755);
    qfs.makePrimary(1);
    assertThat(client.stat("/d").directory()).isTrue();
  }

  @Test
  void saysSoInTimeWhenNoAddressAnswers() {
    try (QfsClient hasty = Clients.hasty(qfs)) {
      for (int i = 0; i < 3; i++) {
        qfs.stopMeta(i);
      }
      assertThatThrownBy(() -> hasty.stat("/d"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("LOOKUP_PATH")
          .hasMessageContaining(String.valueOf(qfs.metaPort(0)));
    }
  }

  @Test
  void saysSoInTimeWhenAllHang() {
    for (int i = 0; i < 3; i++) {
      qfs.metaFaults(i).on("*").always().hang();
    }
    try (QfsClient hasty = Clients.hasty(qfs)) {
      assertThatThrownBy(() -> hasty.stat("/d")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void waitsForAMetaserverThatComesBack() throws Exception {
    client.meta().makeDirectory("/d", 0755);
    for (int i = 0; i < 3; i++) {
      qfs.stopMeta(i);
    }
    Thread restarting = new Thread(() -> qfs.restartMeta(1));
    restarting.start();
    assertThat(client.stat("/d").directory()).isTrue();
    restarting.join();
  }

  @Test
  void namesThePathOfARefusal() {
    assertThatThrownBy(() -> client.stat("/none/at/all"))
        .isInstanceOfSatisfying(
            QfsException.class,
            e -> {
              assertThat(e.error()).isEqualTo(QfsError.ENOENT);
              assertThat(e).hasMessageContaining("/none/at/all");
            });
  }
}
