package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import dev.sailfish.testkit.qfs.QfsChunkserver;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads while servers fail: the right bytes from another one, or a sentence in time. */
@Seeded
@Timeout(60)
class ReadFaultsTest {
  private static final String PATH = "/file";

  private QfsTestServer qfs;
  private QfsClient client;
  private byte[] bytes;
  private long chunk;

  @BeforeEach
  void writeFile(SplittableRandom random) throws IOException {
    qfs = QfsTestServer.start();
    client = Clients.impatient(qfs);
    bytes = TestBytes.random(random, 700_001);
    Clients.write(client, PATH, bytes, 3);
    chunk = qfs.chunksOf(PATH).get(0);
  }

  @AfterEach
  void stop() {
    client.close();
    qfs.close();
  }

  private void readHastily() throws IOException {
    try (QfsClient hasty = Clients.hasty(qfs)) {
      Clients.read(hasty, PATH);
    }
  }

  @ParameterizedTest
  @EnumSource
  void passesOverOneBadAnswer(Fault fault) throws IOException {
    for (QfsChunkserver server : qfs.chunkservers()) {
      fault.set(server.faults().on("READ").skip(2));
    }
    assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void passesOverAServerThatIsBadForEver(Fault fault) throws IOException {
    fault.set(qfs.holders(chunk).get(0).faults().on("READ").always());
    assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void saysWhatHappenedWhenAllServersAreBad(Fault fault) {
    for (QfsChunkserver server : qfs.chunkservers()) {
      fault.set(server.faults().on("READ").always());
    }
    assertThatThrownBy(this::readHastily)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PATH)
        .hasMessageContaining("chunk " + chunk);
  }

  @Test
  void takesAnswersInAnyOrder() throws IOException {
    for (QfsChunkserver server : qfs.chunkservers()) {
      server.faults().on("READ").times(2).holdReply();
    }
    ByteBuffer got = ByteBuffer.allocate(bytes.length);
    try (QfsInput in = client.open(PATH)) {
      in.readFully(0, got);
    }
    assertThat(got.array()).isEqualTo(bytes);
  }

  @Test
  void readsAroundABadDisk() throws IOException {
    QfsChunkserver bad = qfs.holders(chunk).get(0);
    for (int at = 0; at < bytes.length; at += 65_536) {
      bad.corrupt(chunk, at);
    }
    assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
  }

  @Test
  void neverGivesBytesThatNoReplicaHasRight() {
    qfs.chunkservers().forEach(server -> server.corrupt(chunk, 300_000));
    assertThatThrownBy(this::readHastily)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PATH)
        .hasMessageContaining("checksum");
  }

  @Test
  void readsOnWhenAServerDiesInTheMiddle() throws IOException {
    try (QfsInput in = client.open(PATH)) {
      ByteBuffer got = ByteBuffer.allocate(bytes.length);
      in.readFully(0, got.limit(100_000));
      qfs.holders(chunk).get(0).stop();
      in.readFully(100_000, got.limit(bytes.length));
      assertThat(got.array()).isEqualTo(bytes);
    }
  }

  @Test
  void findsTheServersAgainThatHaveTheChunkNow() throws IOException {
    try (QfsInput in = client.open(PATH)) {
      ByteBuffer first = ByteBuffer.allocate(10);
      in.readFully(0, first);
      qfs.chunkserver(0).lose(chunk);
      qfs.chunkserver(1).stop();
      ByteBuffer rest = ByteBuffer.allocate(bytes.length - 10);
      in.readFully(10, rest);
      assertThat(rest.flip()).isEqualTo(ByteBuffer.wrap(bytes, 10, bytes.length - 10));
    }
  }

  @Test
  void saysSoInTimeWhenNoServerIsUp() {
    qfs.chunkservers().forEach(QfsChunkserver::stop);
    assertThatThrownBy(this::readHastily)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PATH);
  }

  @Test
  void namesTheChunkThatHasNoReplica() throws IOException {
    List<ChunkInfo> chunks = client.meta().layout(PATH, client.stat(PATH).id(), 0).chunks();
    qfs.chunkservers().forEach(QfsChunkserver::stop);
    assertThat(client.meta().layout(PATH, client.stat(PATH).id(), 0).chunks())
        .hasSameSizeAs(chunks)
        .allSatisfy(chunk -> assertThat(chunk.servers()).isEmpty());
    assertThatThrownBy(this::readHastily)
        .hasMessageContaining(PATH)
        .hasMessageContaining("no server has a copy of the chunk " + chunks.get(0).id())
        .hasMessageContaining("qfsfsck");
  }

  @Test
  void leavesNoConnectionThatABrokenAnswerCameFrom() throws IOException {
    for (QfsChunkserver server : qfs.chunkservers()) {
      server.faults().on("READ").skip(1).garbage();
    }
    assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
    for (int i = 0; i < 5; i++) {
      assertThat(Clients.read(client, PATH)).isEqualTo(bytes);
    }
  }
}
