package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class ImergerMemoryTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private static Partition.Item item(SplittableRandom random, int keyLength, int valueLength) {
    return new Partition.Item(
        TestBytes.random(random, keyLength), TestBytes.compressible(random, valueLength, 0.5));
  }

  private void checkNoFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  /** One chunk per run: {@code runs} runs of about {@code runBytes}. */
  private static Partition runs(
      SplittableRandom random, KeyOrder order, CodecId codec, int runs, int runBytes) {
    Partition partition = new Partition(order, codec).withSortedBlockBytes(64 << 10);
    for (int map = 0; map < runs; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int bytes = 0; bytes < runBytes; bytes += 1000) {
        items.add(item(random, 10, 990));
      }
      partition.append(map, 0, 1 + map, items);
    }
    return partition;
  }

  private static int[] winners(int maps) {
    int[] winners = new int[2 * maps];
    for (int map = 0; map < maps; map++) {
      winners[2 * map] = map;
    }
    return winners;
  }

  @Test
  void sixHundredRunsInLittleMemory(SplittableRandom random) throws IOException {
    Partition partition =
        runs(random, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE, 600, 150_000);
    try (Cluster cluster = new Cluster(partition, 2)) {
      MergeStatistics statistics =
          cluster.checkMerge(cluster.config(32 << 20, directory, DEADLINE), winners(600));
      assertThat(statistics.runs()).isEqualTo(600);
      assertThat(statistics.spilledBytes()).isPositive();
      assertThat(statistics.spilledBytes()).isLessThan(statistics.rawBytes() / 2);
    }
    checkNoFiles();
  }

  @Test
  void manyPassesGiveTheSameOrder(Seed seed) throws IOException {
    for (KeyOrder order :
        List.of(KeyOrder.normalized(KeyEncoding.TEXT), KeyOrder.of(RandomPartition.DESCENDING))) {
      for (CodecId codec : List.of(CodecId.NONE, CodecId.ZSTD)) {
        mergeInPasses(seed.splittable(), order, codec);
      }
    }
  }

  private void mergeInPasses(SplittableRandom random, KeyOrder order, CodecId codec)
      throws IOException {
    Partition partition = new Partition(order, codec).withSortedBlockBytes(200_000);
    for (int map = 0; map < 40; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        items.add(
            new Partition.Item(
                Keys.random(order.encoding(), random, 50),
                TestBytes.random(random, random.nextInt(2000))));
      }
      partition.append(map, 0, 1 + random.nextInt(40), items);
    }
    try (Cluster cluster = new Cluster(partition, 1)) {
      MergeStatistics statistics =
          cluster.checkMerge(cluster.config(1 << 20, directory, DEADLINE), winners(40));
      assertThat(statistics.spilledRuns()).isGreaterThan(3);
    }
    checkNoFiles();
  }

  @Test
  void recordsOfTwentyMegabytes(SplittableRandom random) throws IOException {
    for (CodecId codec : List.of(CodecId.NONE, CodecId.LZ4)) {
      Partition partition =
          new Partition(KeyOrder.normalized(KeyEncoding.RAW), codec).withSortedBlockBytes(4096);
      for (int map = 0; map < 4; map++) {
        List<Partition.Item> items = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          items.add(item(random, 10, 50));
        }
        items.add(item(random, map == 2 ? 3_000_000 : 10, 20_000_000));
        partition.append(map, 0, 1 + map, items);
      }
      try (Cluster cluster = new Cluster(partition, 1)) {
        MergeStatistics statistics =
            cluster.checkMerge(cluster.config(32 << 20, directory, DEADLINE), winners(4));
        assertThat(statistics.spilledRuns()).isPositive();
      }
      checkNoFiles();
    }
  }

  @Test
  void neighbouringBlocksOfAComparatorAreReadTogether(SplittableRandom random) throws IOException {
    Partition partition = new Partition(KeyOrder.of(RandomPartition.DESCENDING), CodecId.NONE);
    for (int map = 0; map < 100; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        items.add(item(random, 10, 90));
      }
      partition.append(map, 0, 1, items);
    }
    try (Cluster cluster = new Cluster(partition, 1)) {
      MergeStatistics statistics =
          cluster.checkMerge(cluster.config(32 << 20, directory, DEADLINE), winners(100));
      assertThat(statistics.runs()).isEqualTo(100);
      assertThat(statistics.reads()).isLessThan(5);
    }
  }

  @Test
  void aSingleRunIsReadInLargePieces(SplittableRandom random) throws IOException {
    Partition partition =
        runs(random, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE, 1, 12_000_000);
    try (Cluster cluster = new Cluster(partition, 1)) {
      MergeStatistics statistics =
          cluster.checkMerge(cluster.config(32 << 20, directory, DEADLINE), winners(1));
      assertThat(statistics.bytesFetched() / statistics.reads()).isGreaterThan(2_500_000);
      assertThat(statistics.spilledBytes()).isZero();
    }
  }

  @Test
  void spilledFilesGoAwayWithAnError(SplittableRandom random) throws IOException {
    Partition partition =
        runs(random, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE, 60, 150_000);
    try (Cluster cluster = new Cluster(partition, 1)) {
      cluster
          .serverOf(50)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (chunk == 60 && payload.length > 50_000) {
                  payload[100] ^= 1;
                }
                return payload;
              });
      try (Imerger imerger = cluster.open(cluster.config(1 << 20, directory, DEADLINE))) {
        assertThatThrownBy(
                () -> {
                  imerger.start(winners(60));
                  while (imerger.next()) {
                    assertThat(imerger.keyLength()).isEqualTo(10);
                  }
                })
            .isInstanceOf(LostBlocksException.class);
        assertThat(imerger.statistics().spilledRuns()).isPositive();
      }
    }
    checkNoFiles();
  }

  @Test
  void aSpillDirectoryThatCannotBeWrittenIsNamed(SplittableRandom random) throws IOException {
    Partition partition =
        runs(random, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE, 60, 150_000);
    Path file = Files.createFile(directory.resolve("no-directory"));
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(1 << 20, file, DEADLINE))) {
      assertThatThrownBy(() -> imerger.start(winners(60)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no-directory");
    }
  }
}
