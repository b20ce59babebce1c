package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two limits at a time, both reached, with one real chunkserver: who waits goes on when there is
 * room, and who waits in vain says so at the deadline.
 */
@Seeded
@Timeout(90)
class LimitPairsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int VALUE_BYTES = 1000;
  private static final int MIB = 1 << 20;
  private static final KeyOrder NORMALIZED = KeyOrder.normalized(KeyEncoding.RAW);

  @TempDir private Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private LocalServers servers;
  private Chunkserver chunkserver;

  @BeforeEach
  void startMetaserver() throws IOException {
    servers = LocalServers.open(directory);
  }

  @AfterEach
  void stop() throws IOException {
    threads.shutdownNow();
    servers.close();
  }

  private void delete(String job) throws IOException {
    try (MetaserverClient client = servers.connect()) {
      client.deleteJob(job);
    }
  }

  private IappenderConfig config(Duration deadline, int windowBytes) {
    return new IappenderConfig(
        servers.address(), "127.0.0.1", "test", MIB, 16 << 10, windowBytes, deadline, MIB);
  }

  private static IfileSpec spec(String job, int partitions) {
    return new IfileSpec(job, partitions, NORMALIZED, CodecId.NONE);
  }

  /** Appends records with values that no codec shrinks, in turns to all partitions. */
  private static int append(
      IappenderConfig config, IfileSpec spec, int map, int bytes, SplittableRandom random)
      throws IOException {
    try (Iappender appender = Iappender.open(config, spec, map, 0)) {
      int records = bytes / VALUE_BYTES;
      for (int i = 0; i < records; i++) {
        byte[] key = TestBytes.random(random, 8);
        byte[] value = TestBytes.random(random, VALUE_BYTES);
        appender.append(i % spec.partitions(), key, 0, key.length, value, 0, value.length);
      }
      appender.commit();
      return records;
    }
  }

  /** Merges a partition and checks the order; returns how many records there are. */
  private int merge(IfileSpec spec, int maps, long memoryBytes) throws IOException {
    int[] winners = new int[2 * maps];
    for (int map = 0; map < maps; map++) {
      winners[2 * map] = map;
    }
    ImergerConfig config = new ImergerConfig(servers.address(), memoryBytes, directory, DEADLINE);
    int records = 0;
    try (Imerger imerger = Imerger.open(config, spec.job(), 0, spec.order(), "reduce")) {
      imerger.start(winners);
      byte[] before = new byte[0];
      while (imerger.next()) {
        int end = imerger.keyOffset() + imerger.keyLength();
        byte[] key = Arrays.copyOfRange(imerger.keyBuffer(), imerger.keyOffset(), end);
        assertThat(Arrays.compareUnsigned(before, key)).isNotPositive();
        before = key;
        records++;
      }
    }
    return records;
  }

  private long count(String label) {
    return chunkserver.metrics().get(label);
  }

  /** One job fills the server, another one waits for room; the end of the first gives it. */
  private void fillAndRecover(Seed seed, int windowBytes) throws Exception {
    IappenderConfig config = config(DEADLINE, windowBytes);
    IfileSpec first = spec("job_1_1", 1);
    IfileSpec second = spec("job_1_2", 1);
    append(config, first, 0, 2 * MIB, seed.derive("first").splittable());
    Future<Integer> waiting =
        threads.submit(
            () -> append(config, second, 0, 5 * MIB / 2, seed.derive("second").splittable()));
    await()
        .atMost(DEADLINE)
        .until(() -> count(ChunkserverMetric.REFUSED_APPENDS.fullName()) > 20 || waiting.isDone());
    assertThat(waiting.isDone()).as("the second job waits for room").isFalse();
    delete("job_1_1");
    int records = waiting.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertThat(merge(second, 1, 4L * MIB)).isEqualTo(records);
    delete("job_1_2");
    await()
        .atMost(DEADLINE)
        .until(() -> count(ChunkserverMetric.MEMORY_USED_BYTES.fullName()) == 0);
    await().atMost(DEADLINE).until(() -> count(ChunkserverMetric.DISK_USED_BYTES.fullName()) == 0);
  }

  @Test
  void windowOfTheAppenderAndMemoryOfTheServer(Seed seed) throws Exception {
    chunkserver = servers.startChunkserver("memory.size", "4m");
    fillAndRecover(seed, 64 << 10);
  }

  @Test
  void memoryAndDiskOfTheServer(Seed seed) throws Exception {
    String data = directory.resolve("disk").toString();
    chunkserver = servers.startChunkserver("memory.size", "2m", "data.dirs", data + ":capacity=2m");
    fillAndRecover(seed, 512 << 10);
  }

  @Test
  void memoryOfTheSorterAndChunkSize(Seed seed) throws Exception {
    chunkserver =
        servers.startChunkserver(
            "memory.size", "64m", "sorter.memory", "1m", "sorter.threads", "1");
    IfileSpec spec = spec("job_1_1", 1);
    IappenderConfig config =
        new IappenderConfig(servers.address(), "127.0.0.1", "test", MIB, 0, 0, DEADLINE, 16L * MIB);
    int records = append(config, spec, 0, 12 * MIB, seed.splittable());
    assertThat(merge(spec, 1, MIB)).isEqualTo(records);
  }

  @Test
  void memoryOfTheMergerAndNumberOfRuns(Seed seed) throws Exception {
    chunkserver = servers.startChunkserver("memory.size", "64m");
    KeyOrder order =
        KeyOrder.of(
            (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
                Arrays.compareUnsigned(
                    left,
                    leftOffset,
                    leftOffset + leftLength,
                    right,
                    rightOffset,
                    rightOffset + rightLength));
    IfileSpec spec = new IfileSpec("job_1_1", 1, order, CodecId.NONE);
    int maps = 30;
    int records = 0;
    for (int map = 0; map < maps; map++) {
      IappenderConfig config = config(DEADLINE, 0);
      records += append(config, spec, map, MIB / 3, seed.derive("map" + map).splittable());
    }
    assertThat(merge(spec, maps, MIB)).isEqualTo(records);
  }

  @Test
  void connectionsOfTheServerAndAppenders(Seed seed) throws Exception {
    chunkserver = servers.startChunkserver("memory.size", "64m", "connections.max", "2");
    IfileSpec spec = spec("job_1_1", 1);
    int maps = 6;
    List<Future<Integer>> appenders = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      int ordinal = map;
      appenders.add(
          threads.submit(
              () ->
                  append(
                      config(DEADLINE, 0),
                      spec,
                      ordinal,
                      MIB / 2,
                      seed.derive("map" + ordinal).splittable())));
    }
    int records = 0;
    for (Future<Integer> appender : appenders) {
      records += appender.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(count(ServerMetric.CONNECTIONS_REFUSED.fullName())).isPositive();
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS.fullName()) == 0);
    assertThat(merge(spec, maps, 4L * MIB)).isEqualTo(records);
  }

  /** A limit that nothing will lift: an error that names it, at the deadline. */
  @Test
  void partitionsOfTheJobAndChunksOfTheServer(Seed seed) throws Exception {
    chunkserver = servers.startChunkserver("memory.size", "64m", "chunks.max", "3");
    long start = System.nanoTime();
    assertThatThrownBy(
            () ->
                append(
                    config(Duration.ofSeconds(3), 0),
                    spec("job_1_1", 5),
                    0,
                    MIB,
                    seed.splittable()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("one chunk too many: limit=3");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
  }
}
