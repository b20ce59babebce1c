package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A chunkserver is killed while maps append, between their commit and the sort, while it sorts and
 * while a reduce task reads, and each time started again: nothing is lost and nothing is there
 * twice.
 */
@Seeded
@Timeout(240)
class KilledChunkserverTest {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final int PARTITIONS = 3;
  private static final int MAPS = 3;
  private static final int[] WINNERS = {0, 0, 1, 0, 2, 0};

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ChunkserverProcess> processes = new ArrayList<>();
  private final List<List<List<Partition.Item>>> emitted = new ArrayList<>();
  private final AtomicInteger appended = new AtomicInteger();
  private LocalServers servers;

  @BeforeEach
  void start() throws IOException {
    servers = LocalServers.open(directory);
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    processes.forEach(ChunkserverProcess::close);
    servers.close();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  private void killAndStartFirst() throws Exception {
    long registrations = servers.count(MetaserverMetric.REGISTRATIONS.fullName());
    processes.get(0).kill();
    processes.get(0).start();
    servers.awaitRegistrations(registrations + 1);
  }

  private void append(IfileSpec spec, int map, SplittableRandom random) throws IOException {
    List<List<Partition.Item>> records = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      records.add(new ArrayList<>());
    }
    emitted.add(records);
    IappenderConfig config =
        new IappenderConfig(
            servers.address(), "127.0.0.1", "test", 4 << 20, 16 << 10, 0, DEADLINE, 1 << 20);
    try (Iappender appender = Iappender.open(config, spec, map, 0)) {
      for (int i = 0; i < 6000; i++) {
        byte[] key = Keys.random(spec.order().encoding(), random, 2000);
        byte[] value = TestBytes.compressible(random, random.nextInt(400), 0.5);
        int partition = random.nextInt(PARTITIONS);
        records.get(partition).add(new Partition.Item(key, value));
        appender.append(partition, key, 0, key.length, value, 0, value.length);
        appended.incrementAndGet();
      }
      appender.commit();
    }
  }

  @ParameterizedTest
  @CsvSource({"1,true,false", "1,false,true", "2,true,true", "2,true,false"})
  void shouldLoseNothing(int chunkservers, boolean memory, boolean normalized, Seed seed)
      throws Exception {
    for (int i = 0; i < chunkservers; i++) {
      processes.add(
          new ChunkserverProcess(
              directory.resolve("server" + i), servers.address().getPort(), memory));
    }
    servers.awaitRegistrations(chunkservers);
    KeyOrder order =
        normalized
            ? KeyOrder.normalized(KeyEncoding.VARIABLE_INTEGER)
            : KeyOrder.of(RandomPartition.DESCENDING);
    IfileSpec spec = new IfileSpec("job_13_1", PARTITIONS, order, CodecId.LZ4);
    SplittableRandom random = seed.splittable();
    Future<Void> maps =
        threads.submit(
            () -> {
              for (int map = 0; map < MAPS; map++) {
                append(spec, map, seed.derive("map" + map).splittable());
              }
              return null;
            });
    int until = random.nextInt(MAPS * 5000);
    await().atMost(DEADLINE).until(() -> maps.isDone() || appended.get() >= until);
    killAndStartFirst();
    maps.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    killAndStartFirst();
    readWhileKilledAfterStart(spec, random);
    readWhileKilledBeforeStart(spec);
    readWhileKilledAfterStart(spec, 2, 0);
    assertThat(servers.count(MetaserverMetric.CHUNK_LOSSES.fullName())).isZero();
    try (MetaserverClient client = servers.connect()) {
      client.deleteJob(spec.job());
    }
    for (ChunkserverProcess server : processes) {
      await()
          .atMost(DEADLINE)
          .untilAsserted(() -> assertThat(server.segmentFiles()).as("leaked").isZero());
    }
  }

  private void readWhileKilledAfterStart(IfileSpec spec, SplittableRandom random) throws Exception {
    readWhileKilledAfterStart(spec, 0, random.nextInt(3000));
  }

  /** Reads some records, has the server killed and started, and reads on. */
  private void readWhileKilledAfterStart(IfileSpec spec, int partition, int records)
      throws Exception {
    List<Partition.Item> expected = expected(spec, partition);
    try (Imerger imerger = imerger(spec, partition)) {
      imerger.start(WINNERS);
      int before = Math.min(records, expected.size());
      Partition.assertNext(imerger, expected.subList(0, before));
      processes.get(0).kill();
      Future<Void> restart = restartLater();
      Partition.assertNext(imerger, expected.subList(before, expected.size()));
      assertThat(imerger.next()).isFalse();
      restart.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Has the server killed while a reader waits for it to sort. */
  private void readWhileKilledBeforeStart(IfileSpec spec) throws Exception {
    List<Partition.Item> expected = expected(spec, 1);
    try (Imerger imerger = imerger(spec, 1)) {
      Future<Void> started =
          threads.submit(
              () -> {
                imerger.start(WINNERS);
                return null;
              });
      killAndStartFirst();
      started.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
      Partition.assertNext(imerger, expected);
      assertThat(imerger.next()).isFalse();
    }
  }

  private Future<Void> restartLater() throws IOException {
    long registrations = servers.count(MetaserverMetric.REGISTRATIONS.fullName());
    return threads.submit(
        () -> {
          processes.get(0).start();
          servers.awaitRegistrations(registrations + 1);
          return null;
        });
  }

  private Imerger imerger(IfileSpec spec, int partition) throws IOException {
    ImergerConfig config = new ImergerConfig(servers.address(), 1 << 20, directory, DEADLINE);
    return Imerger.open(config, spec.job(), partition, spec.order(), "reduce " + partition);
  }

  private List<Partition.Item> expected(IfileSpec spec, int partition) {
    List<Partition.Item> items = new ArrayList<>();
    emitted.forEach(map -> items.addAll(map.get(partition)));
    Partition order = new Partition(spec.order(), spec.codec());
    items.sort(order::compareKeys);
    return items;
  }
}
