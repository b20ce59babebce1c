package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import dev.sailfish.testkit.qfs.QfsChunkserver;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes while servers fail: every byte on every replica at close, or a sentence in time. */
@Seeded
@Timeout(60)
class WriteFaultsTest {
  private static final String PATH = "/file";

  private QfsTestServer qfs;
  private QfsClient client;
  private byte[] bytes;

  @BeforeEach
  void start(SplittableRandom random) {
    qfs = QfsTestServer.start();
    client = Clients.impatient(qfs);
    bytes = TestBytes.random(random, 700_001);
  }

  @AfterEach
  void stop() {
    client.close();
    qfs.close();
  }

  private void assertAllReplicasHoldAll() throws IOException {
    long chunk = qfs.chunksOf(PATH).get(0);
    assertThat(qfs.isStable(chunk)).isTrue();
    assertThat(qfs.holders(chunk)).isNotEmpty();
    for (QfsChunkserver server : qfs.holders(chunk)) {
      assertThat(server.bytes(chunk)).isEqualTo(bytes);
    }
    assertThat(client.stat(PATH).size()).isEqualTo(bytes.length);
    assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
  }

  private void onAll(Fault fault, String operation, int skip) {
    for (QfsChunkserver server : qfs.chunkservers()) {
      fault.set(server.faults().on(operation).skip(skip));
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesAgainAfterOneBadAnswer(Fault fault) throws IOException {
    onAll(fault, "WRITE_PREPARE", 3);
    Clients.write(client, PATH, bytes, 3);
    assertAllReplicasHoldAll();
  }

  @ParameterizedTest
  @EnumSource
  void getsAnotherWriteIdAfterABadAnswer(Fault fault) throws IOException {
    if (fault.withoutBody()) {
      onAll(fault, "WRITE_ID_ALLOC", 0);
    }
    Clients.write(client, PATH, bytes, 3);
    assertAllReplicasHoldAll();
  }

  @ParameterizedTest
  @EnumSource
  void closesInSpiteOfABadAnswer(Fault fault) throws IOException {
    if (fault.withoutBody()) {
      onAll(fault, "CLOSE", 0);
    }
    try (QfsClient hasty = Clients.hasty(qfs)) {
      Clients.write(hasty, PATH, bytes, 3);
    } catch (IOException notEnded) {
      // All is held, but nobody ended the lease before its time.
      assertThat(notEnded).hasMessageContaining(PATH).hasMessageContaining("held");
      qfs.expireWriteLease(qfs.chunksOf(PATH).get(0));
    }
    assertAllReplicasHoldAll();
  }

  @ParameterizedTest
  @EnumSource
  void allocatesAgainAfterABadAnswer(Fault fault) throws IOException {
    if (fault.withoutBody()) {
      fault.set(qfs.metaFaults(0).on("ALLOCATE"));
    }
    try (QfsClient hasty = Clients.hasty(qfs)) {
      Clients.write(hasty, PATH, bytes, 3);
    } catch (IOException refused) {
      assertThat(refused).hasMessageContaining(PATH);
      return;
    }
    assertAllReplicasHoldAll();
  }

  @Test
  void goesOnWithTheReplicasThatAreLeft() throws IOException {
    try (QfsOutput out = client.create(PATH, new CreateOptions(3, 0644, false))) {
      out.write(bytes, 0, 200_000);
      out.sync();
      qfs.holders(qfs.chunksOf(PATH).get(0)).get(1).stop();
      out.write(bytes, 200_000, bytes.length - 200_000);
    }
    assertThat(qfs.holders(qfs.chunksOf(PATH).get(0))).hasSize(2);
    assertAllReplicasHoldAll();
  }

  @Test
  void goesOnWhenTheFirstServerOfTheChainDies() throws IOException {
    try (QfsOutput out = client.create(PATH, new CreateOptions(3, 0644, false))) {
      out.write(bytes, 0, 200_000);
      out.sync();
      qfs.holders(qfs.chunksOf(PATH).get(0)).get(0).stop();
      out.write(bytes, 200_000, bytes.length - 200_000);
    }
    assertAllReplicasHoldAll();
  }

  @Test
  void goesOnWhenAServerOfTheChainRefuses() throws IOException {
    for (QfsChunkserver server : qfs.chunkservers()) {
      server.faults().onForwarded("WRITE_PREPARE").skip(4).refuse(-113);
    }
    Clients.write(client, PATH, bytes, 3);
    assertAllReplicasHoldAll();
  }

  @Test
  void goesOnAfterItsLeaseWasOver() throws IOException {
    try (QfsOutput out = client.create(PATH, new CreateOptions(3, 0644, false))) {
      out.write(bytes, 0, 200_000);
      out.sync();
      qfs.expireWriteLease(qfs.chunksOf(PATH).get(0));
      out.write(bytes, 200_000, bytes.length - 200_000);
    }
    assertAllReplicasHoldAll();
  }

  @Test
  void takesAnswersInAnyOrder() throws IOException {
    for (QfsChunkserver server : qfs.chunkservers()) {
      server.faults().on("WRITE_PREPARE").times(2).holdReply();
    }
    Clients.write(client, PATH, bytes, 3);
    assertAllReplicasHoldAll();
  }

  @Test
  void keepsWhatASyncHadConfirmedWhenAllServersDie() throws IOException {
    try (QfsClient hasty = Clients.hasty(qfs)) {
      QfsOutput out = hasty.create(PATH, new CreateOptions(3, 0644, false));
      out.write(bytes, 0, 200_000);
      out.sync();
      long chunk = qfs.chunksOf(PATH).get(0);
      byte[] held = qfs.holders(chunk).get(0).bytes(chunk);
      assertThat(held).isEqualTo(Arrays.copyOf(bytes, 200_000));
      qfs.chunkservers().forEach(QfsChunkserver::stop);
      assertThatThrownBy(
              () -> {
                out.write(bytes, 200_000, bytes.length - 200_000);
                out.close();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining(PATH);
      assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
      out.abort();
    }
  }
}
