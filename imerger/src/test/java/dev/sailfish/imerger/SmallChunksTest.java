package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each map attempt has a small chunk of its own, which real servers sort together. The first chunk
 * is a losing attempt's, so that readers do not ask for it.
 */
@Seeded
@Timeout(180)
class SmallChunksTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final String JOB = "job_15_1";
  private static final int MAPS = 6;
  private static final long PAGE_BYTES = 4096;
  private static final long CHUNK_BYTES = 16 << 20;
  private static final KeyOrder ORDER = KeyOrder.normalized(KeyEncoding.TEXT);

  @TempDir Path directory;

  private final List<Partition.Item> won = new ArrayList<>();
  private final int[] winners = new int[2 * MAPS];
  private LocalServers servers;
  private Chunkserver chunkserver;
  private MetaserverClient client;

  @BeforeEach
  void start() throws IOException {
    servers = LocalServers.secured(directory, "reservation", Long.toString(CHUNK_BYTES));
    chunkserver = servers.startChunkserver();
    client = servers.connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    servers.close();
  }

  private Iappender open(CodecId codec, boolean encrypted, KeyOrder order, int map, int attempt)
      throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(servers.address()),
            "127.0.0.1",
            "test",
            4 << 20,
            4 << 10,
            0,
            DEADLINE,
            CHUNK_BYTES,
            servers.task(JOB));
    return Iappender.open(
        config, new IfileSpec(JOB, 1, order, codec, encrypted, MAPS), map, attempt);
  }

  private static List<Partition.Item> records(SplittableRandom random) {
    List<Partition.Item> records = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] key = Keys.random(KeyEncoding.TEXT, random, 150);
      byte[] value = TestBytes.compressible(random, random.nextInt(300), 0.3);
      records.add(new Partition.Item(key, value));
    }
    return records;
  }

  /** Map 0 has two attempts, of which the second wins. */
  private void write(CodecId codec, boolean encrypted, KeyOrder order, SplittableRandom random)
      throws IOException {
    List<Iappender> appenders = new ArrayList<>();
    for (int number = 0; number <= MAPS; number++) {
      int map = Math.max(0, number - 1);
      int attempt = number == 1 ? 1 : 0;
      Iappender appender = open(codec, encrypted, order, map, attempt);
      appenders.add(appender);
      List<Partition.Item> records = records(random);
      for (Partition.Item record : records) {
        byte[] key = record.key();
        byte[] value = record.value();
        appender.append(0, key, 0, key.length, value, 0, value.length);
      }
      if (number > 0) {
        won.addAll(records);
        winners[2 * map] = map;
        winners[2 * map + 1] = attempt;
      }
    }
    for (Iappender appender : appenders) {
      appender.commit();
      appender.close();
    }
    Partition sorter = new Partition(order, codec);
    won.sort(sorter::compareKeys);
  }

  private void writeAndSort(SplittableRandom random) throws IOException {
    write(CodecId.LZ4, true, ORDER, random);
    await().atMost(DEADLINE).until(() -> chunks().stream().allMatch(SmallChunksTest::isSorted));
  }

  private static boolean isSorted(ChunkDescription chunk) {
    return chunk.getState() == ChunkState.SORTED.code();
  }

  private List<ChunkDescription> chunks() throws IOException {
    return client.describeJob(JOB, 0).getChunksList();
  }

  private Imerger reader(KeyOrder order) {
    ImergerConfig config =
        new ImergerConfig(
            List.of(servers.address()), 4 << 20, directory, DEADLINE, servers.task(JOB));
    return Imerger.open(config, JOB, 0, order, "reduce 0");
  }

  private static void check(Imerger imerger, List<Partition.Item> expected) throws IOException {
    Partition.assertNext(imerger, expected);
    assertThat(imerger.next()).isFalse();
  }

  private void checkOneRun() throws IOException {
    try (Imerger imerger = reader(ORDER)) {
      imerger.start(winners);
      check(imerger, won);
      assertThat(imerger.statistics().runs()).isEqualTo(1);
      assertThat(imerger.statistics().chunks()).isEqualTo(MAPS);
    }
  }

  @ParameterizedTest
  @CsvSource({"NONE,false", "LZ4,false", "NONE,true", "LZ4,true"})
  void shouldBeOneRun(CodecId codec, boolean encrypted, Seed seed) throws IOException {
    write(codec, encrypted, ORDER, seed.splittable());
    assertThat(chunks()).hasSize(MAPS + 1);
    checkOneRun();
    int middle = won.size() / 2;
    byte[] key = ChunkFile.normalized(ORDER, won.get(middle).key());
    Partition sorter = new Partition(ORDER, codec);
    while (middle > 0 && sorter.compareKeys(won.get(middle - 1), won.get(middle)) == 0) {
      middle--;
    }
    try (Imerger low = reader(ORDER);
        Imerger high = reader(ORDER);
        Imerger all = reader(ORDER)) {
      low.start(winners, new KeyRange(null, key));
      check(low, won.subList(0, middle));
      high.start(winners, new KeyRange(key, null));
      check(high, won.subList(middle, won.size()));
      all.startAll(null);
      int count = 0;
      while (all.next()) {
        count++;
      }
      assertThat(count).as("the losing attempt has as many").isEqualTo(won.size() / MAPS * 7);
    }
    assertThat(metric(ChunkserverMetric.COMBINED_CHUNKS)).isEqualTo(MAPS + 1);
  }

  private long metric(ChunkserverMetric metric) {
    return chunkserver.metrics().get(metric.fullName());
  }

  @Test
  void shouldStayRunsOfTheirOwnWhereServersDoNotSort(Seed seed) throws IOException {
    KeyOrder order = KeyOrder.of(RandomPartition.DESCENDING);
    write(CodecId.LZ4, false, order, seed.splittable());
    try (Imerger imerger = reader(order)) {
      imerger.start(winners);
      check(imerger, won);
    }
    assertThat(metric(ChunkserverMetric.COMBINED_CHUNKS)).isZero();
  }

  @Test
  void prefetchShouldGiveTheSameRecords(Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    writeAndSort(random);
    try (Imerger imerger = reader(ORDER)) {
      for (int maps = 1; maps <= MAPS; maps++) {
        int[] some = Arrays.copyOfRange(winners, 2 * (MAPS - maps), 2 * MAPS);
        imerger.prefetch(some);
      }
      imerger.start(winners);
      check(imerger, won);
      assertThat(imerger.statistics().runs()).isEqualTo(1);
      assertThat(imerger.statistics().prefetchedBytes()).isPositive();
    }
  }

  @Test
  void sumsOverTheIndexShouldCountOnce(Seed seed) throws IOException {
    write(CodecId.NONE, false, ORDER, seed.splittable());
    checkOneRun();
    try (ChunkserverClient asker = connect()) {
      List<Long> ids = chunks().stream().map(ChunkDescription::getChunk).toList();
      List<IndexSummary> sums = asker.summarizeIndex(JOB, ids, 0, true);
      assertThat(sums).hasSize(MAPS + 1).allMatch(IndexSummary::isComplete);
      long records = sums.stream().mapToLong(IndexSummary::records).sum();
      assertThat(records).isEqualTo(won.size() / MAPS * 7L);
      assertThat(sums.stream().filter(sum -> sum.records() > 0)).hasSize(1);
    }
  }

  private ChunkserverClient connect() throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", chunkserver.port());
    return ChunkserverClient.connect(address, "test", servers.cluster(), DEADLINE);
  }

  /** What is stored of each chunk adds up to the file, so that quotas count it once. */
  @Test
  void storedBytesShouldAddUpToTheFile(Seed seed) throws IOException {
    writeAndSort(seed.splittable());
    long stored = chunks().stream().mapToLong(ChunkDescription::getStoredBytes).sum();
    assertThat(stored).isCloseTo(Files.size(file()), Offset.offset(PAGE_BYTES));
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("memory0"))) {
      return files
          .filter(path -> path.getFileName().toString().contains(JOB))
          .max(Comparator.comparing(Path::toString))
          .orElseThrow();
    }
  }

  @Test
  void damageShouldCostTheMapsWhoseBlocksAreInTheFile(Seed seed) throws IOException {
    writeAndSort(seed.splittable());
    long first = chunks().stream().mapToLong(ChunkDescription::getChunk).min().orElseThrow();
    ChunkTail tail;
    try (ChunkserverClient asker = connect()) {
      tail = asker.awaitSorted(JOB, first, 1000, DEADLINE);
    }
    assertThat(tail.sharedChunks()).hasSize(MAPS + 1);
    try (RandomAccessFile bytes = new RandomAccessFile(file().toFile(), "rw")) {
      long at = tail.entryOffset(tail.entries() / 2) + tail.entryLength(tail.entries() / 2) - 1;
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 1);
    }
    TreeSet<Integer> lost = new TreeSet<>();
    try (Imerger imerger = reader(ORDER)) {
      assertThatThrownBy(
              () -> {
                imerger.start(winners);
                while (imerger.next()) {
                  assertThat(imerger.keyLength()).isNotNegative();
                }
              })
          .isInstanceOfSatisfying(
              LostBlocksException.class,
              e -> {
                for (int i = 0; i < e.mapAttemptPairs().length; i += 2) {
                  lost.add(e.mapAttemptPairs()[i]);
                }
              });
    }
    assertThat(lost).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void aRestartShouldKeepThem(Seed seed) throws IOException {
    writeAndSort(seed.splittable());
    ChunkserverConfig again = servers.configOf(0, chunkserver);
    chunkserver.close();
    try (Chunkserver second = Chunkserver.start(again)) {
      servers.awaitRegistrations(2);
      checkOneRun();
      assertThat(second.metrics().get(ChunkserverMetric.LOSSES.fullName())).isZero();
      deleteJob(second);
    }
    assertThat(servers.count(MetaserverMetric.CHUNK_LOSSES.fullName())).isZero();
  }

  @Test
  void aDrainShouldCopyTheFileOnce(Seed seed) throws IOException {
    writeAndSort(seed.splittable());
    Chunkserver other = servers.startChunkserver();
    try (Imerger imerger = reader(ORDER)) {
      imerger.start(winners);
      Partition.assertNext(imerger, won.subList(0, 10));
      await()
          .atMost(DEADLINE)
          .until(() -> client.drain(chunkserver.host() + ":" + chunkserver.port()).getDrained());
      chunkserver.close();
      Partition.assertNext(imerger, won.subList(10, won.size()));
      assertThat(imerger.next()).isFalse();
    }
    checkOneRun();
    assertThat(other.metrics().get(ChunkserverMetric.COPIED_CHUNKS.fullName())).isEqualTo(1);
    assertThat(servers.count(MetaserverMetric.CHUNK_LOSSES.fullName())).isZero();
    deleteJob(other);
  }

  private void deleteJob(Chunkserver holder) throws IOException {
    String used = ChunkserverMetric.MEMORY_USED_BYTES.fullName();
    assertThat(holder.metrics().get(used)).isPositive();
    client.deleteJob(JOB);
    await().atMost(DEADLINE).until(() -> holder.metrics().get(used) == 0);
  }
}
