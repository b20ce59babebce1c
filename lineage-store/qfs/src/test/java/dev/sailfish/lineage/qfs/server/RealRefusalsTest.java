package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.append.AppendSettings;
import dev.sailfish.lineage.qfs.append.RecordAppendFile;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** What this client says it cannot do, with a QFS that really does it. */
@Timeout(60)
class RealRefusalsTest {
  private static QfsClient connect(String variable) {
    return QfsClient.connect(QfsSettings.of(HostPort.parse(System.getenv(variable))));
  }

  /**
   * {@code QFS_STRIPED} is the path of a striped file in the QFS whose metaserver is at {@code
   * QFS_META}; {@code cptoqfs -y 2 -z 0 -u 65536 -r 1 …} makes one.
   */
  @Test
  @EnabledIfEnvironmentVariable(
      named = "QFS_STRIPED",
      matches = "/.+",
      disabledReason = "QFS_STRIPED names no striped file of the QFS at QFS_META")
  void stripedFilesAreListedAndNotRead() throws IOException {
    String path = System.getenv("QFS_STRIPED");
    try (QfsClient client = connect("QFS_META")) {
      FileInfo file = client.stat(path);
      assertThat(file.size()).isPositive();
      assertThat(file.striping()).isNotNull();
      assertThat(file.striping().stripes()).isPositive();
      String directory = path.substring(0, Math.max(1, path.lastIndexOf('/')));
      assertThat(client.meta().list(directory, "", 10_000).entries())
          .filteredOn(entry -> entry.id() == file.id())
          .singleElement()
          .satisfies(entry -> assertThat(entry.size()).isEqualTo(file.size()))
          .satisfies(entry -> assertThat(entry.striping()).isEqualTo(file.striping()));
      assertThatThrownBy(() -> client.open(path).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(path)
          .hasMessageContaining("striped");
      assertThatThrownBy(() -> client.append(path).close()).hasMessageContaining("is striped");
      assertThatThrownBy(() -> RecordAppendFile.open(client, path, AppendSettings.DEFAULTS))
          .hasMessageContaining("no record append for striped files");
    }
  }

  /** {@code QFS_AUTHENTICATED=host:port} is a metaserver that asks for authentication. */
  @Test
  @EnabledIfEnvironmentVariable(
      named = "QFS_AUTHENTICATED",
      matches = ".+:[0-9]+",
      disabledReason = "QFS_AUTHENTICATED=host:port names no metaserver that authenticates")
  void aMetaserverThatAuthenticatesIsRefused() {
    try (QfsClient client = connect("QFS_AUTHENTICATED")) {
      assertThatThrownBy(() -> client.stat("/"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(System.getenv("QFS_AUTHENTICATED"))
          .hasMessageContaining("takes nobody who does not authenticate with")
          .hasMessageContaining("without authentication");
    }
  }
}
