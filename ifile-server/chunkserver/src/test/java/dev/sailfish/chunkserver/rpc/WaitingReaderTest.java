package dev.sailfish.chunkserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.chunkserver.TestTable;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader holds that waits for a sort, and for how long. */
@Seeded
class WaitingReaderTest {
  private static final String JOB = "job_5";
  private static final TestIfile IFILE =
      new TestIfile(JOB, 0, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);

  private static final byte[] AWAIT =
      AwaitSortedRequest.newBuilder()
          .setJob(JOB)
          .setChunk(1)
          .setDeadlineMs((int) Duration.ofMinutes(10).toMillis())
          .setPlace(true)
          .build()
          .toByteArray();

  @TempDir private Path directory;

  private static TestBlock block(SplittableRandom random) {
    return TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.NONE, 1000);
  }

  /** A connection with an append whose last byte is missing, so that its chunk is not sorted. */
  private static Socket halfAppend(TestServer server, TestBlock block) throws IOException {
    Socket socket = new Socket("127.0.0.1", server.server().port());
    byte[] hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("half an appender")
            .build()
            .toByteArray();
    byte[] append = IFILE.appendRequest(1).toByteArray();
    ByteBuffer frames = ByteBuffer.allocate(1000 + block.bytes().length);
    FrameDescriptor.write(frames, Operation.HELLO, 0, 1, hello.length, 0);
    frames.put(hello);
    FrameDescriptor.write(frames, IfileService.APPEND, 0, 2, append.length, block.bytes().length);
    frames.put(append).put(block.bytes(), 0, block.bytes().length - 1);
    socket.getOutputStream().write(frames.array(), 0, frames.position());
    return socket;
  }

  private static void awaitCount(TestServer server, ChunkserverMetric counter, long value) {
    await(counter.fullName())
        .atMost(TestIfile.DEADLINE)
        .untilAsserted(() -> assertThat(server.count(counter)).isEqualTo(value));
  }

  @Test
  void aReaderThatIsGoneShouldGiveItsPlaceBack(SplittableRandom random) throws IOException {
    TestBlock block = block(random);
    try (TestServer server = TestServer.start(directory, "frame.deadline", "10min");
        Socket half = halfAppend(server, block);
        ChunkserverClient other = server.connect()) {
      awaitCount(server, ChunkserverMetric.ARRIVING_BYTES, block.bytes().length);
      PayloadReply reply = new PayloadReply();
      other.connection().send(IfileService.AWAIT_SORTED, AWAIT, reply);
      try (ChunkserverClient reader = server.connect()) {
        reader.connection().send(IfileService.AWAIT_SORTED, AWAIT, new PayloadReply());
        awaitCount(server, ChunkserverMetric.WAITING_READERS, 2);
      }
      awaitCount(server, ChunkserverMetric.WAITING_READERS, 1);
      half.getOutputStream().write(block.bytes(), block.bytes().length - 1, 1);
      TestIfile.awaitReply(other, reply);
      assertThat(reply.bytes()).isNotEmpty();
    }
  }

  @Test
  void noTimerShouldBeLeftOfAReaderThatHasItsAnswer(SplittableRandom random) throws IOException {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    timer.setRemoveOnCancelPolicy(true);
    try (TestTable table = new TestTable(directory, 3)) {
      ChunkserverHandler handler =
          new ChunkserverHandler(table.chunks(), table.metrics(), timer, 10, request -> {});
      try (FrameServer frames =
              FrameServer.start(
                  IfileService.SERVICE,
                  ServerConfig.of("test", "127.0.0.1", 0).withThreads(1),
                  handler);
          ChunkserverClient client =
              ChunkserverClient.connect(
                  new InetSocketAddress("127.0.0.1", frames.port()), "test", TestIfile.DEADLINE)) {
        assertThat(IFILE.append(client, 1, block(random))).isNull();
        PayloadReply reply = new PayloadReply();
        client.connection().send(IfileService.AWAIT_SORTED, AWAIT, reply);
        await().atMost(TestIfile.DEADLINE).until(() -> timer.getQueue().size() == 1);
        table.sortNext();
        TestIfile.awaitReply(client, reply);
        assertThat(reply.error()).isNull();
        assertThat(timer.getQueue()).isEmpty();
      }
      table.chunks().deleteJob(JOB);
    } finally {
      timer.shutdownNow();
    }
  }

  /** What nobody knows in a header is kept with it, and takes many times its length. */
  @Test
  void longHeadersAndPayloadsThatNobodyNeedsShouldBeRefused(SplittableRandom random)
      throws IOException {
    byte[] unknownField = {(byte) 0x9a, 6, (byte) 0xe8, 7}; // number 99, a thousand bytes
    byte[] padded = Arrays.copyOf(AWAIT, AWAIT.length + unknownField.length + 1000);
    System.arraycopy(unknownField, 0, padded, AWAIT.length, unknownField.length);
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      for (Operation<?, ?> operation :
          List.of(
              IfileService.AWAIT_SORTED,
              IfileService.READ,
              IfileService.LIST_CHUNKS,
              IfileService.APPEND)) {
        PayloadReply reply = new PayloadReply();
        boolean append = operation == IfileService.APPEND;
        client.connection().send(operation, padded, reply, ByteBuffer.allocate(append ? 1 : 0));
        assertRefused(client, reply, "header is too long: operation=" + operation);
      }
      PayloadReply reply = new PayloadReply();
      client.connection().send(IfileService.AWAIT_SORTED, AWAIT, reply, ByteBuffer.allocate(1));
      assertRefused(client, reply, "there is no payload of AWAIT_SORTED");
      assertThat(IFILE.append(client, 1, block(random))).isNull();
      client.awaitSorted(JOB, 1, 1000, TestIfile.DEADLINE);
    }
  }

  private static void assertRefused(ChunkserverClient client, PayloadReply reply, String message)
      throws IOException {
    TestIfile.awaitReply(client, reply);
    assertThat(reply.error().status()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.error()).hasMessageContaining(message);
  }
}
