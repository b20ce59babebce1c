package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.MessageLite;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that break, bytes that are damaged, jobs that end in the middle. */
@Seeded
class FaultTest {
  private static final String JOB = "job_4";
  private static final int PARTITION = 0;

  @TempDir private Path directory;
  private TestServer server;
  private ChunkserverClient client;
  private int nextSequence;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start(directory, "frame.deadline", "4s", "sorter.threads", "1");
    client = server.connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private static TestIfile ifile(Ordering ordering) {
    return new TestIfile(JOB, PARTITION, ordering, CodecId.LZ4, 8 << 20);
  }

  private TestBlock block(SplittableRandom random, Ordering ordering, int bytes) {
    TestBlock.Source source = new TestBlock.Source(PARTITION, 2, 1, nextSequence++);
    return ordering == Ordering.COMPARATOR
        ? TestBlock.sorted(random, source, CodecId.LZ4, bytes)
        : TestBlock.random(random, source, CodecId.LZ4, bytes);
  }

  /** A connection on which a test can stop in the middle of a frame. */
  private static SocketChannel halfAppend(
      InetSocketAddress address, MessageLite header, TestBlock block, int bytes)
      throws IOException {
    SocketChannel socket = SocketChannel.open(address);
    HelloRequest hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("half an appender")
            .build();
    ByteBuffer out = ByteBuffer.allocate(4096 + bytes);
    frame(out, Operation.HELLO, hello, 1, 0);
    frame(out, IfileService.APPEND, header, 2, block.bytes().length);
    out.put(block.bytes(), 0, bytes);
    out.flip();
    while (out.hasRemaining()) {
      socket.write(out);
    }
    return socket;
  }

  private static void frame(
      ByteBuffer out,
      Operation<?, ?> operation,
      MessageLite header,
      long correlation,
      int payload) {
    byte[] bytes = header.toByteArray();
    FrameDescriptor.write(out, operation, 0, correlation, bytes.length, payload);
    out.put(bytes);
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void shouldKeepTheOtherBlocksWhenAConnectionBreaksInAPayload(
      Ordering ordering, SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(ordering);
    List<TestBlock> held = new ArrayList<>();
    held.add(block(random, ordering, 50_000));
    assertThat(ifile.append(client, 1, held.get(0))).isNull();
    TestBlock broken = block(random, ordering, 50_000);
    int sent = BlockHeader.LENGTH + random.nextInt(broken.bytes().length - BlockHeader.LENGTH);
    try (SocketChannel half = halfAppend(server.address(), ifile.appendRequest(1), broken, sent)) {
      server.awaitCount(ChunkserverMetric.ARRIVING_BYTES, broken.bytes().length);
      held.add(block(random, ordering, 50_000));
      assertThat(ifile.append(client, 1, held.get(1))).isNull();
      half.shutdownOutput();
    }
    server.awaitCount(ChunkserverMetric.BROKEN_APPENDS, 1);
    assertThat(ifile.append(client, 1, broken)).as("sent again").isNull();
    held.add(broken);
    assertThat(server.count(ChunkserverMetric.ARRIVING_BYTES)).isZero();
    ifile.assertHolds(client, 1, held);
  }

  @Test
  void shouldNotWaitForeverForABlockThatDoesNotGoOn(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED);
    TestBlock held = block(random, Ordering.NORMALIZED, 1000);
    TestBlock stuck = block(random, Ordering.NORMALIZED, 1000);
    assertThat(ifile.append(client, 1, held)).isNull();
    try (SocketChannel half =
        halfAppend(server.address(), ifile.appendRequest(1), stuck, BlockHeader.LENGTH + 10)) {
      server.awaitCount(ChunkserverMetric.ARRIVING_BYTES, stuck.bytes().length);
      ifile.assertHolds(client, 1, List.of(held));
      assertThat(half.isOpen()).isTrue();
    }
  }

  @Test
  void shouldRefuseABlockThatArrivesDamaged(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED);
    List<TestBlock> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      TestBlock block = block(random, Ordering.NORMALIZED, 1 + random.nextInt(5000));
      ByteBuffer damaged = ByteBuffer.wrap(block.bytes().clone());
      int at = random.nextInt(damaged.capacity());
      damaged.put(at, (byte) (damaged.get(at) ^ 1 << random.nextInt(8)));
      RemoteException refusal = ifile.appendAnswer(client, 1, damaged);
      assertThat(refusal.status()).isEqualTo(Status.CORRUPT);
      if (random.nextBoolean()) {
        assertThat(ifile.append(client, 1, block)).isNull();
        held.add(block);
      }
    }
    assertThat(server.count(ChunkserverMetric.CORRUPT_APPENDS)).isEqualTo(20);
    TestBlock last = block(random, Ordering.NORMALIZED, 100);
    assertThat(ifile.append(client, 1, last)).isNull();
    held.add(last);
    ifile.assertHolds(client, 1, held);
  }

  @Test
  void shouldLoseAChunkWhoseRecordsAreNoRecords(SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, PARTITION, Ordering.NORMALIZED, CodecId.NONE, 8 << 20);
    byte[] nonsense = TestBytes.random(random, 100);
    nonsense[0] = -1;
    nonsense[1] = -1;
    nonsense[2] = 127;
    BlockHeader header =
        new BlockHeader(
            CodecId.NONE, 0, PARTITION, 0, 0, 0, 1, 100, 100, Checksum.of(nonsense, 0, 100));
    ByteBuffer bytes = ByteBuffer.allocate(header.blockLength());
    header.write(bytes, 0);
    bytes.put(BlockHeader.LENGTH, nonsense);
    assertThat(ifile.appendAnswer(client, 1, bytes)).isNull();
    RemoteException lost =
        catchThrowableOfType(
            RemoteException.class, () -> client.awaitSorted(JOB, 1, 1000, TestIfile.DEADLINE));
    assertThat(lost.status()).isEqualTo(Status.CHUNK_LOST);
    assertThat(lost).hasMessageContaining("chunk=1").hasMessageContaining("map=0");
    server.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
    assertThat(server.count(ChunkserverMetric.CHUNKS_LOST)).isEqualTo(1);
  }

  @Test
  void shouldFreeAJobInTheMiddleOfAnAppend(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED);
    TestBlock block = block(random, Ordering.NORMALIZED, 100_000);
    int sent = block.bytes().length - 1;
    SocketChannel half = halfAppend(server.address(), ifile.appendRequest(1), block, sent);
    try (half) {
      server.awaitCount(ChunkserverMetric.ARRIVING_BYTES, block.bytes().length);
      server.metaserver().deleteJob(JOB);
      server.awaitCount(ChunkserverMetric.DELETED_JOBS, 1);
      assertThat(ifile.append(client, 1, block)).isEqualTo(Status.JOB_UNKNOWN);
      assertThat(ifile.append(client, 2, block)).isEqualTo(Status.JOB_UNKNOWN);
    }
    server.awaitCount(ChunkserverMetric.ARRIVING_BYTES, 0);
    server.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
  }

  /** The appender may go on for hours, as long as it sends a little now and then. */
  @Test
  void shouldFreeAJobWhoseAppendGoesOn(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED);
    TestBlock block = block(random, Ordering.NORMALIZED, 2_000_000);
    int sent = 1000;
    try (TestServer patient =
            TestServer.start(directory.resolve("patient"), "frame.deadline", "10min");
        SocketChannel half = halfAppend(patient.address(), ifile.appendRequest(1), block, sent)) {
      patient.awaitCount(ChunkserverMetric.ARRIVING_BYTES, block.bytes().length);
      patient.metaserver().deleteJob(JOB);
      patient.awaitCount(ChunkserverMetric.DELETED_JOBS, 1);
      assertThat(patient.count(ChunkserverMetric.MEMORY_USED_BYTES)).isPositive();
      half.write(ByteBuffer.wrap(block.bytes(), sent, 1));
      patient.awaitCount(ChunkserverMetric.ARRIVING_BYTES, 0);
      patient.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
    }
  }

  /** Chunks are deleted while some are sorted, some wait for that and some are waited for. */
  @Test
  void shouldFreeAJobInTheMiddleOfItsSorts(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED);
    List<PayloadReply> replies = new ArrayList<>();
    for (int chunk = 1; chunk <= 20; chunk++) {
      TestBlock block = block(random, Ordering.NORMALIZED, 400_000);
      assertThat(ifile.append(client, chunk, block)).isNull();
    }
    for (int chunk = 1; chunk <= 20; chunk++) {
      PayloadReply reply = new PayloadReply();
      client
          .connection()
          .send(
              IfileService.AWAIT_SORTED,
              AwaitSortedRequest.newBuilder()
                  .setJob(JOB)
                  .setChunk(chunk)
                  .setDeadlineMs(30_000)
                  .build(),
              reply);
      replies.add(reply);
    }
    server.metaserver().deleteJob(JOB);
    for (PayloadReply reply : replies) {
      TestIfile.awaitReply(client, reply);
      assertThat(reply.error() == null || reply.error().status() == Status.JOB_UNKNOWN).isTrue();
    }
    server.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
    server.awaitCount(ChunkserverMetric.WAITING_READERS, 0);
    RemoteException gone =
        catchThrowableOfType(RemoteException.class, () -> client.read(JOB, 1, 0, 1));
    assertThat(gone.status()).isEqualTo(Status.JOB_UNKNOWN);
  }

  /** The sort may still run when the chunk is deleted, and appenders that know nothing come. */
  @ParameterizedTest
  @EnumSource(Ordering.class)
  void shouldDeleteAChunkWhileItIsSortedAndAppendedTo(Ordering ordering, SplittableRandom random)
      throws IOException {
    TestIfile ifile = ifile(ordering);
    TestBlock block = null;
    for (int i = 1; i <= 30; i++) {
      for (int j = 0; j < 5; j++) {
        block = block(random, ordering, 30_000);
        assertThat(ifile.append(client, i, block)).isIn(null, Status.CHUNK_FULL);
        Status late = ifile.append(client, i - 1, block(random, ordering, 1000));
        assertThat(late).isIn(null, Status.CHUNK_FULL, Status.CHUNK_UNKNOWN);
      }
      PayloadReply reply = new PayloadReply();
      client
          .connection()
          .send(
              IfileService.AWAIT_SORTED,
              AwaitSortedRequest.newBuilder().setJob(JOB).setChunk(i).setDeadlineMs(10_000).build(),
              reply);
      server.metaserver().command(HeartbeatResponse.newBuilder().addDeleteChunks(i).build());
      TestIfile.awaitReply(client, reply);
      assertThat(reply.error() == null || reply.error().status() == Status.CHUNK_UNKNOWN)
          .as("%s", reply.error())
          .isTrue();
    }
    assertThat(server.count(ChunkserverMetric.LOSSES)).isZero();
    server.deleteJobAndAwaitNothingUsed(JOB);
    assertThat(ifile.append(client, 1, block)).isEqualTo(Status.JOB_UNKNOWN);
  }

  /** Readers that do not take their bytes keep the segment, and only it, until they are gone. */
  @Test
  void shouldFreeAJobInTheMiddleOfAReadOnceItsReaderIsGone(SplittableRandom random)
      throws IOException {
    TestIfile ifile = new TestIfile(JOB, PARTITION, Ordering.NORMALIZED, CodecId.NONE, 32 << 20);
    TestBlock block =
        TestBlock.of(
            new TestBlock.Source(PARTITION, 0, 0, 0),
            CodecId.NONE,
            0,
            List.of(new TestBlock.TestRecord(new byte[1], TestBytes.random(random, 30 << 20))));
    assertThat(ifile.append(client, 1, block)).isNull();
    client.awaitSorted(JOB, 1, 1000, TestIfile.DEADLINE);
    ChunkserverClient slow = server.connect();
    try (slow) {
      PayloadReply reply = new PayloadReply();
      slow.connection()
          .send(
              IfileService.READ,
              ReadRequest.newBuilder().setJob(JOB).setChunk(1).setLength(30 << 20).build(),
              reply);
      server.awaitCount(ChunkserverMetric.READS, 1);
      server.metaserver().deleteJob(JOB);
      server.awaitCount(ChunkserverMetric.DELETED_JOBS, 1);
      assertThat(server.count(ChunkserverMetric.MEMORY_USED_BYTES)).isPositive();
    }
    server.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
  }
}
