package dev.sailfish.chunkserver.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestIfile;
import dev.sailfish.chunkserver.TestServer;
import dev.sailfish.chunkserver.TestStore;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class RehearsalTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long WARM_BYTES = 5 << 20;
  private static final String JOB = "job_17_0001";

  @TempDir private Path directory;
  private TestStore store;
  private Path scratch;
  private final AtomicInteger sortersReady = new AtomicInteger();

  @BeforeEach
  void openStore() throws IOException {
    store = new TestStore(directory.resolve("store"), 64 << 20, 64 << 10);
    scratch = directory.resolve("rehearsal");
  }

  @AfterEach
  void closeStore() throws IOException {
    store.close();
  }

  private Rehearsal rehearsal(Duration cpuTime, BooleanSupplier hasCome) {
    SorterConfig sorter = new SorterConfig(64 << 20, 64 << 10);
    return new Rehearsal(
        new Rehearsal.Limits(cpuTime, WARM_BYTES, sorter),
        scratch,
        store.chunks(),
        hasCome,
        sortersReady::incrementAndGet);
  }

  private void assertNothingIsLeft(long pooled) {
    assertThat(scratch).doesNotExist();
    assertThat(store.chunks().names()).isEmpty();
    assertThat(store.chunks().usage().usedBytes(Tier.MEMORY)).isZero();
    assertThat(store.chunks().usage().pooledBytes(Tier.MEMORY)).isEqualTo(pooled);
    assertThat(sortersReady).hasValue(pooled > 0 ? 1 : 0);
    await().atMost(PATIENCE).until(() -> rehearsalThreads() == 0);
  }

  @Test
  void shouldPlayAllOfItAndLeaveWarmMemoryOnly() {
    assertThat(rehearsal(LONG, () -> false).run()).isEqualTo(Rehearsal.End.COMPLETE);
    assertNothingIsLeft(WARM_BYTES);
  }

  @Test
  void shouldEndWhenItsCpuTimeIsUsedUp() {
    long start = System.nanoTime();
    assertThat(rehearsal(Duration.ofMillis(100), () -> false).run()).isEqualTo(Rehearsal.End.BOUND);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertNothingIsLeft(WARM_BYTES);
  }

  @Test
  void shouldStopInTheMiddleWhenAJobComes(SplittableRandom random) {
    int most = random.nextInt(1, 2000);
    AtomicInteger asked = new AtomicInteger();
    assertThat(rehearsal(LONG, () -> asked.incrementAndGet() > most).run())
        .isEqualTo(Rehearsal.End.STOPPED);
    // Once more for the memory, of which none is made.
    assertThat(asked.get()).isBetween(most + 1, most + 3);
    assertNothingIsLeft(0);
  }

  @Test
  void shouldStopWhenItsServerCloses() throws Exception {
    CountDownLatch begun = new CountDownLatch(10);
    Rehearsal rehearsal =
        rehearsal(
            LONG,
            () -> {
              begun.countDown();
              return false;
            });
    rehearsal.start();
    assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    rehearsal.close();
    assertNothingIsLeft(0);
  }

  @Test
  void shouldDoNoHarmWhenItFails() throws IOException {
    Files.writeString(scratch, "no directory");
    assertThat(rehearsal(LONG, () -> false).run()).isEqualTo(Rehearsal.End.FAILED);
    Rehearsal.clear(scratch);
    Files.delete(scratch);
    assertNothingIsLeft(0);
  }

  /** Segments of a process that was killed, open and unknown to anybody. */
  @Test
  void shouldClearWhatAKilledProcessHasLeft() throws IOException {
    Files.createDirectory(scratch);
    Files.write(scratch.resolve("rehearsal-1-1@rehearsal"), new byte[4096]);
    Files.write(scratch.resolve("+free-7"), new byte[4096]);
    Rehearsal.clear(scratch);
    assertNothingIsLeft(0);
  }

  // ---- in a server

  private TestServer server() throws IOException {
    return TestServer.start(directory, "rehearsal", "30s", "warm", Long.toString(WARM_BYTES));
  }

  private Path scratchOfServer() {
    return directory.resolve("memory/rehearsal");
  }

  @Test
  void shouldBeSeenNeitherInMetricsNorByTheMetaserver() throws IOException {
    try (TestServer server = server();
        ChunkserverClient client = server.connect()) {
      Map<String, Long> before = chunkMetrics(server);
      server.server().rehearse();
      await()
          .atMost(PATIENCE)
          .until(() -> server.count(ChunkserverMetric.MEMORY_POOLED_BYTES) == WARM_BYTES);
      assertThat(scratchOfServer()).doesNotExist();
      assertThat(chunkMetrics(server)).isEqualTo(before);
      assertThat(client.listChunks("").getChunksList()).isEmpty();
      assertThat(server.metaserver().chunks()).isEmpty();
      assertThat(server.metaserver().activeJobs()).isEmpty();
    }
  }

  /** All but what time alone changes, and the memory that is made warm. */
  private static Map<String, Long> chunkMetrics(TestServer server) {
    List<ChunkserverMetric> others =
        List.of(ChunkserverMetric.HEARTBEATS, ChunkserverMetric.MEMORY_POOLED_BYTES);
    List<String> names = others.stream().map(ChunkserverMetric::fullName).toList();
    return server.server().metrics().entrySet().stream()
        .filter(entry -> entry.getKey().contains("chunkserver"))
        .filter(entry -> !names.contains(entry.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  @Test
  void shouldGiveWayToTheFirstBlock(SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, 3, Ordering.NORMALIZED, CodecId.NONE, 16 << 20);
    TestBlock block =
        TestBlock.random(random, new TestBlock.Source(3, 0, 0, 0), CodecId.NONE, 10_000);
    try (TestServer server = server();
        ChunkserverClient client = server.connect()) {
      server.server().rehearse();
      assertThat(ifile.append(client, 1, block)).isNull();
      ifile.assertHolds(client, 1, List.of(block));
      await().atMost(PATIENCE).until(() -> rehearsalThreads() == 0);
      assertThat(scratchOfServer()).doesNotExist();
      assertThat(server.count(ChunkserverMetric.APPENDS)).isEqualTo(1);
    }
  }

  private static long rehearsalThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("rehearsal"))
        .count();
  }

  @Test
  void shouldNotBeginWhereChunksAre(SplittableRandom random) throws IOException {
    TestIfile ifile = new TestIfile(JOB, 3, Ordering.NORMALIZED, CodecId.NONE, 16 << 20);
    TestBlock block =
        TestBlock.random(random, new TestBlock.Source(3, 0, 0, 0), CodecId.NONE, 10_000);
    try (TestServer server = server();
        ChunkserverClient client = server.connect()) {
      assertThat(ifile.append(client, 1, block)).isNull();
      server.server().rehearse();
      assertThat(rehearsalThreads()).isZero();
      assertThat(scratchOfServer()).doesNotExist();
    }
  }

  @Test
  void shouldNotBeginWhereItIsOff() throws IOException {
    try (TestServer server = TestServer.start(directory, "rehearsal", "0")) {
      server.server().rehearse();
      assertThat(rehearsalThreads()).isZero();
    }
  }
}
