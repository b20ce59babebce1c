package dev.sailfish.chunkserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers that ask for much and take nothing. */
@Seeded
class SlowReaderTest {
  private static final String JOB = "job_9";
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int CHUNK_BYTES = 32 << 20;

  /** What may lie in sockets' buffers, and in one answer after the other. */
  private static final long MOST_SENT_BYTES = 3L * CHUNK_BYTES;

  @TempDir private Path directory;
  private final PrintStream console = System.out;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private TestServer server;

  /** Writes to two streams. */
  private static final class Tee extends OutputStream {
    private final OutputStream left;
    private final OutputStream right;

    Tee(OutputStream left, OutputStream right) {
      this.left = left;
      this.right = right;
    }

    @Override
    public synchronized void write(int b) throws IOException {
      left.write(b);
      right.write(b);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
      left.write(bytes, offset, length);
      right.write(bytes, offset, length);
    }
  }

  @BeforeEach
  void start() throws IOException {
    System.setOut(new PrintStream(new Tee(console, log), true, StandardCharsets.UTF_8));
    server = TestServer.start(directory, "write.deadline", "700ms");
  }

  @AfterEach
  void stop() throws IOException {
    System.setOut(console);
    server.close();
  }

  private void fillChunk(ChunkserverClient client, SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.NONE, CHUNK_BYTES);
    byte[] value = TestBytes.random(random, CHUNK_BYTES - (1 << 20));
    TestBlock block =
        TestBlock.of(
            new TestBlock.Source(0, 0, 0, 0),
            CodecId.NONE,
            0,
            List.of(new TestBlock.TestRecord(new byte[1], value)));
    assertThat(ifile.append(client, 1, block)).isNull();
    client.awaitSorted(JOB, 1, 1000, TestIfile.DEADLINE);
  }

  /** A connection with a small receive buffer that has asked for the chunk many times. */
  private Socket greedyReader(int requests) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(64 << 10);
    socket.connect(new InetSocketAddress("127.0.0.1", server.server().port()));
    ByteBuffer frames = ByteBuffer.allocate(64 << 10);
    byte[] hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("greedy reader")
            .build()
            .toByteArray();
    FrameDescriptor.write(frames, Operation.HELLO, 0, 1, hello.length, 0);
    frames.put(hello);
    byte[] read =
        ReadRequest.newBuilder()
            .setJob(JOB)
            .setChunk(1)
            .setLength(CHUNK_BYTES - (2 << 20))
            .build()
            .toByteArray();
    for (int i = 0; i < requests; i++) {
      FrameDescriptor.write(frames, IfileService.READ, 0, 2 + i, read.length, 0);
      frames.put(read);
    }
    socket.getOutputStream().write(frames.array(), 0, frames.position());
    return socket;
  }

  @Test
  void aReaderThatTakesNothingIsDroppedAndNamed(SplittableRandom random) throws IOException {
    try (ChunkserverClient client = server.connect()) {
      fillChunk(client, random);
      try (Socket greedy = greedyReader(200)) {
        await()
            .atMost(DEADLINE)
            .until(
                () -> server.server().metrics().get(ServerMetric.PEER_DEADLINES.fullName()) == 1);
        assertThat(client.read(JOB, 1, 0, 1000)).hasSize(1000);
        assertThat(server.server().metrics().get(ServerMetric.SENT_BYTES.fullName()))
            .isLessThan(MOST_SENT_BYTES);
        assertThat(server.count(ChunkserverMetric.READS))
            .as("requests that were begun before the server stopped to read from the peer")
            .isLessThan(20);
        assertThat(greedy.isClosed()).isFalse();
      }
      await()
          .atMost(DEADLINE)
          .until(() -> log.toString(StandardCharsets.UTF_8).contains("does not read its answers"));
      assertThat(log.toString(StandardCharsets.UTF_8))
          .containsPattern("closing connection of greedy reader at /127.0.0.1:[0-9]+: it does not");
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }

  /** A peer that closed its half gets all of its answer, however long it takes to read it. */
  @Test
  void aHalfClosedConnectionGetsItsAnswer(SplittableRandom random) throws IOException {
    try (ChunkserverClient client = server.connect()) {
      fillChunk(client, random);
      try (Socket greedy = greedyReader(10)) {
        greedy.shutdownOutput();
        greedy.setSoTimeout((int) DEADLINE.toMillis());
        byte[] piece = new byte[1 << 20];
        long total = 0;
        for (int count = 0; count >= 0; count = greedy.getInputStream().read(piece)) {
          total += count;
        }
        assertThat(total).isGreaterThan(10L * (CHUNK_BYTES - (2 << 20)));
      }
      server.deleteJobAndAwaitNothingUsed(JOB);
    }
  }
}
