package dev.sailfish.chunkserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
class AppendAndReadTest {
  private static final String JOB = "job_17_0001";
  private static final int PARTITION = 3;

  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start(directory);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static TestIfile ifile(Ordering ordering, CodecId codec, long chunkBytes) {
    return new TestIfile(JOB, PARTITION, ordering, codec, chunkBytes);
  }

  private static TestBlock.Source source(int map, int sequence) {
    return new TestBlock.Source(PARTITION, map, 0, sequence);
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void shouldSortAndReadBackWhatWasAcknowledged(CodecId codec, Seed seed) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, codec, 16 << 20);
    SplittableRandom random = seed.splittable();
    List<TestBlock> blocks = new ArrayList<>();
    try (ChunkserverClient client = server.connect()) {
      for (int i = 0; i < 20; i++) {
        blocks.add(
            TestBlock.random(
                random, source(i % 3, i / 3), codec, 1 + TestBytes.skewedLength(random, 200_000)));
        assertThat(ifile.append(client, 1, blocks.get(i))).isNull();
      }
      ifile.assertHolds(client, 1, blocks);
    }
    server.deleteJobAndAwaitNothingUsed(JOB);
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void shouldIndexBlocksThatTheAppenderSorted(CodecId codec, Seed seed) throws IOException {
    TestIfile ifile = ifile(Ordering.COMPARATOR, codec, 16 << 20);
    SplittableRandom random = seed.splittable();
    List<TestBlock> blocks = new ArrayList<>();
    try (ChunkserverClient client = server.connect()) {
      for (int i = 0; i < 20; i++) {
        blocks.add(
            TestBlock.sorted(
                random,
                source(2 - i % 3, i / 3),
                codec,
                1 + TestBytes.skewedLength(random, 100_000)));
        assertThat(ifile.append(client, 1, blocks.get(i))).isNull();
      }
      ifile.assertHolds(client, 1, blocks);
    }
    server.deleteJobAndAwaitNothingUsed(JOB);
  }

  @Test
  void shouldSortWhatIsOpenOfACompleteJob(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.NONE, 16 << 20);
    TestIfile other =
        new TestIfile("other", PARTITION, Ordering.NORMALIZED, CodecId.NONE, 16 << 20);
    TestBlock block = TestBlock.random(random, source(0, 0), CodecId.NONE, 10_000);
    try (ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 1, block)).isNull();
      assertThat(other.append(client, 2, block)).isNull();
      server.metaserver().command(HeartbeatResponse.newBuilder().addCompleteJobs(JOB).build());
      await()
          .atMost(TestIfile.DEADLINE)
          .until(() -> server.count(ChunkserverMetric.CHUNKS_SORTED) == 1);
      assertThat(server.count(ChunkserverMetric.CHUNKS_OPEN)).isOne();
      TestBlock late = TestBlock.random(random, source(0, 1), CodecId.NONE, 10_000);
      assertThat(ifile.append(client, 1, late)).isEqualTo(Status.CHUNK_FULL);
      assertThat(ifile.append(client, 3, late)).isNull();
      ifile.assertHolds(client, 1, List.of(block));
      ifile.assertHolds(client, 3, List.of(late));
    }
    server.metaserver().command(HeartbeatResponse.newBuilder().addDeleteChunks(2).build());
    server.deleteJobAndAwaitNothingUsed(JOB);
  }

  /** Many small blocks: the index takes room behind the blocks that they must not use up. */
  @Test
  void shouldKeepRoomForTheIndexOfSortedBlocks(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.COMPARATOR, CodecId.NONE, 1 << 20);
    List<TestBlock> blocks = new ArrayList<>();
    try (ChunkserverClient client = server.connect()) {
      Status status = null;
      for (int i = 0; status == null; i++) {
        TestBlock block = TestBlock.sorted(random, source(0, i), CodecId.NONE, 10);
        status = ifile.append(client, 1, block);
        if (status == null) {
          blocks.add(block);
        }
      }
      assertThat(status).isEqualTo(Status.CHUNK_FULL);
      assertThat(blocks).hasSizeGreaterThan(1000);
      ifile.assertHolds(client, 1, blocks);
    }
  }

  /** Several appenders per chunk, which move on to the next chunk when theirs is full. */
  @ParameterizedTest
  @EnumSource(Ordering.class)
  void shouldKeepEveryBlockOfConcurrentAppenders(Ordering ordering, Seed seed) throws Exception {
    TestIfile ifile = ifile(ordering, CodecId.LZ4, 1 << 20);
    AtomicLong chunk = new AtomicLong(1);
    Map<Long, List<TestBlock>> acknowledged = new ConcurrentHashMap<>();
    int appenders = 6;
    ExecutorService threads = Executors.newFixedThreadPool(appenders);
    try {
      List<Future<Void>> ends = new ArrayList<>();
      for (int map = 0; map < appenders; map++) {
        Callable<Void> work = appender(ifile, map, seed, chunk, acknowledged);
        ends.add(threads.submit(work));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(acknowledged).hasSizeGreaterThan(2);
    try (ChunkserverClient client = server.connect()) {
      for (Map.Entry<Long, List<TestBlock>> entry : acknowledged.entrySet()) {
        ifile.assertHolds(client, entry.getKey(), entry.getValue());
      }
    }
    server.deleteJobAndAwaitNothingUsed(JOB);
  }

  private Callable<Void> appender(
      TestIfile ifile,
      int map,
      Seed seed,
      AtomicLong chunk,
      Map<Long, List<TestBlock>> acknowledged) {
    return () -> {
      SplittableRandom random = seed.derive("appender-" + map).splittable();
      try (ChunkserverClient client = server.connect()) {
        for (int sequence = 0; sequence < 40; sequence++) {
          TestBlock block = randomBlock(random, ifile, source(map, sequence));
          long bound = chunk.get();
          Status status = ifile.append(client, bound, block);
          while (status == Status.CHUNK_FULL) {
            chunk.compareAndSet(bound, bound + 1);
            bound = chunk.get();
            status = ifile.append(client, bound, block);
          }
          assertThat(status).isNull();
          List<TestBlock> blocks = acknowledged.computeIfAbsent(bound, id -> new ArrayList<>());
          synchronized (blocks) {
            blocks.add(block);
          }
        }
      }
      return null;
    };
  }

  private static TestBlock randomBlock(
      SplittableRandom random, TestIfile ifile, TestBlock.Source source) {
    int bytes = 1 + random.nextInt(60_000);
    return ifile.ordering() == Ordering.COMPARATOR
        ? TestBlock.sorted(random, source, ifile.codec(), bytes)
        : TestBlock.random(random, source, ifile.codec(), bytes);
  }

  @Test
  void shouldTakeManyBlocksBeforeItAnswersThem(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.NONE, 16 << 20);
    List<TestBlock> blocks = new ArrayList<>();
    List<PayloadReply> replies = new ArrayList<>();
    try (ChunkserverClient client = server.connect()) {
      for (int i = 0; i < 200; i++) {
        blocks.add(TestBlock.random(random, source(1, i), CodecId.NONE, 30_000));
        replies.add(new PayloadReply());
        client
            .connection()
            .send(
                IfileService.APPEND,
                ifile.appendRequest(9).toByteArray(),
                replies.get(i),
                blocks.get(i).buffer());
      }
      for (PayloadReply reply : replies) {
        TestIfile.awaitReply(client, reply);
        assertThat(reply.error()).isNull();
      }
      ifile.assertHolds(client, 9, blocks);
    }
  }

  @Test
  void shouldTakeARecordThatIsLargerThanAChunk(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
    TestBlock.TestRecord huge =
        new TestBlock.TestRecord(new byte[] {5}, TestBytes.random(random, 20 << 20));
    TestBlock block = TestBlock.of(source(0, 0), CodecId.NONE, 0, List.of(huge));
    TestBlock next = TestBlock.random(random, source(0, 1), CodecId.NONE, 10);
    try (ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 1, block)).isNull();
      assertThat(ifile.append(client, 1, next)).isEqualTo(Status.CHUNK_FULL);
      assertThat(ifile.append(client, 2, next)).isNull();
      assertThat(ifile.append(client, 2, block)).isEqualTo(Status.CHUNK_FULL);
      ifile.assertHolds(client, 1, List.of(block));
      ifile.assertHolds(client, 2, List.of(next));
    }
    server.deleteJobAndAwaitNothingUsed(JOB);
  }

  @Test
  void shouldAcknowledgeABlockThatIsSentAgainWithoutKeepingItTwice(SplittableRandom random)
      throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.ZSTD, 1 << 20);
    List<TestBlock> blocks = new ArrayList<>();
    try (ChunkserverClient client = server.connect()) {
      for (int i = 0; i < 5; i++) {
        blocks.add(TestBlock.random(random, source(1, i), CodecId.ZSTD, 10_000));
        assertThat(ifile.append(client, 1, blocks.get(i))).isNull();
        assertThat(ifile.append(client, 1, blocks.get(random.nextInt(i + 1)))).isNull();
      }
      ifile.assertHolds(client, 1, blocks);
      assertThat(ifile.append(client, 1, blocks.get(2))).as("when SORTED").isNull();
      TestBlock other = TestBlock.random(random, source(1, 99), CodecId.ZSTD, 100);
      assertThat(ifile.append(client, 1, other)).isEqualTo(Status.CHUNK_FULL);
    }
    assertThat(server.count(ChunkserverMetric.DUPLICATES)).isEqualTo(6);
    assertThat(server.count(ChunkserverMetric.APPENDS)).isEqualTo(5);
  }

  @Test
  void shouldRefuseWhatMakesNoSense(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
    TestIfile other = new TestIfile("job_other", PARTITION, Ordering.NORMALIZED, CodecId.NONE, 9);
    TestIfile comparator = ifile(Ordering.COMPARATOR, CodecId.NONE, 1 << 20);
    TestIfile badName = new TestIfile("../x", PARTITION, Ordering.NORMALIZED, CodecId.NONE, 9);
    TestIfile badSize = ifile(Ordering.NORMALIZED, CodecId.NONE, 2L << 30);
    TestBlock block = TestBlock.random(random, source(0, 0), CodecId.NONE, 1000);
    TestBlock elsewhere =
        TestBlock.random(random, new TestBlock.Source(4, 0, 0, 0), CodecId.NONE, 1000);
    try (ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 1, elsewhere)).isEqualTo(Status.BAD_REQUEST);
      assertThat(badName.append(client, 2, block)).isEqualTo(Status.BAD_REQUEST);
      assertThat(badSize.append(client, 2, block)).isEqualTo(Status.BAD_REQUEST);
      assertThat(comparator.append(client, 3, block)).isEqualTo(Status.BAD_REQUEST);
      assertThat(ifile.append(client, 1, block)).isNull();
      assertThat(other.append(client, 1, block)).isEqualTo(Status.CHUNK_FULL);
      assertThat(comparator.append(client, 1, block)).isEqualTo(Status.CONFLICT);
      assertThat(server.count(ChunkserverMetric.REFUSED_APPENDS)).isEqualTo(6);
      assertRefused(() -> client.read(JOB, 1, 0, 10), Status.BAD_REQUEST);
      assertRefused(() -> client.read(JOB, 77, 0, 10), Status.CHUNK_UNKNOWN);
      assertRefused(() -> client.read("job_other", 1, 0, 10), Status.FORBIDDEN);
      assertRefused(
          () -> client.awaitSorted(JOB, 77, 1000, TestIfile.DEADLINE), Status.CHUNK_UNKNOWN);
      ifile.assertHolds(client, 1, List.of(block));
      assertRefused(() -> client.read(JOB, 1, 0, 1 << 20), Status.BAD_REQUEST);
      assertRefused(() -> client.read(JOB, 1, -5, 10), Status.BAD_REQUEST);
      assertRefused(() -> client.read(JOB, 1, Long.MAX_VALUE, 10), Status.BAD_REQUEST);
    }
  }

  private interface Call {
    Object run() throws IOException;
  }

  private static void assertRefused(Call call, Status status) {
    assertThat(catchThrowable(call::run))
        .isInstanceOfSatisfying(
            RemoteException.class, error -> assertThat(error.status()).isEqualTo(status));
  }

  @Test
  void shouldListChunksAndTellTheMetaserver(SplittableRandom random) throws IOException {
    TestIfile ifile = ifile(Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
    TestBlock block = TestBlock.random(random, source(0, 0), CodecId.NONE, 1000);
    try (ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 5, block)).isNull();
      assertThat(ifile.append(client, 6, block)).isNull();
      client.awaitSorted(JOB, 5, 1000, TestIfile.DEADLINE);
      List<ChunkReport> chunks = client.listChunks(JOB).getChunksList();
      assertThat(chunks).extracting(ChunkReport::getChunk).containsExactly(5L, 6L);
      assertThat(chunks).extracting(ChunkReport::getState).containsExactly(3, 1);
      assertThat(chunks)
          .extracting(ChunkReport::getRawBytes)
          .containsOnly((long) block.header().rawLength());
      assertThat(client.listChunks("job_other").getChunksList()).isEmpty();
      Map<String, Long> counters = client.status().getCountersMap();
      assertThat(counters).containsEntry(ChunkserverMetric.CHUNKS_SORTED.fullName(), 1L);
      URI page = URI.create("http://127.0.0.1:" + server.server().webPort() + "/metrics");
      assertThat(page.toURL().openStream())
          .asString(StandardCharsets.UTF_8)
          .contains(ChunkserverMetric.SORT_SECONDS.fullName() + "_count 1\n");
    }
    await()
        .untilAsserted(
            () -> {
              assertThat(server.metaserver().chunks()).containsOnlyKeys(5L, 6L);
              assertThat(server.metaserver().chunks().get(5L).getState()).isEqualTo(3);
              assertThat(server.metaserver().activeJobs()).containsExactly(JOB);
            });
  }
}
