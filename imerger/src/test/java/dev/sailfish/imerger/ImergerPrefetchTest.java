package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class ImergerPrefetchTest {
  @TempDir Path directory;

  @Test
  void prefetchedBlocksAreNotFetchedAgain(Seed seed) throws IOException {
    // Short keys and few maps: two windows of 1 MiB hold all of any run.
    RandomPartition drawn =
        new RandomPartition(
            seed.value(), KeyOrder.normalized(KeyEncoding.SIGNED), CodecId.NONE, 3, 4);
    try (Cluster cluster = new Cluster(drawn.partition(), 2)) {
      MergeStatistics plain = cluster.checkMerge(cluster.config(directory), drawn.winners());
      int awaits = cluster.serverOf(1).awaits() + cluster.serverOf(2).awaits();
      try (Imerger imerger = cluster.open(cluster.config(directory))) {
        imerger.prefetch(drawn.winners());
        imerger.prefetch(drawn.winners());
        imerger.start(drawn.winners());
        cluster.checkRest(imerger, drawn.winners());
        assertThat(imerger.statistics().bytesFetched()).isEqualTo(plain.bytesFetched());
        assertThat(imerger.statistics().prefetchedBytes()).isEqualTo(plain.bytesFetched());
      }
      assertThat(cluster.serverOf(1).awaits() + cluster.serverOf(2).awaits()).isEqualTo(2 * awaits);
    }
  }

  @Test
  void twoWindowsOfARunArePrefetchedAtMost(SplittableRandom random) throws IOException {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE)
            .withSortedBlockBytes(60_000);
    int[] winners = {0, 0};
    for (int i = 0; i < 60; i++) {
      byte[] key = {(byte) random.nextInt(256), (byte) random.nextInt(256)};
      partition.append(0, 0, 1, List.of(new Partition.Item(key, new byte[50_000])));
    }
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      long window = 1 << 20;
      for (int windows : new int[] {1, 2, 2}) {
        imerger.prefetch(winners);
        assertThat(imerger.statistics().prefetchedBytes())
            .isBetween(windows * (window - 120_000), windows * window);
      }
      imerger.start(winners);
      cluster.checkRest(imerger, winners);
    }
  }

  @Test
  void whatIsDeliveredDoesNotDependOnPrefetching(Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    for (KeyOrder order :
        List.of(KeyOrder.normalized(KeyEncoding.BYTES), KeyOrder.of(RandomPartition.DESCENDING))) {
      for (long memory : new long[] {1 << 20, 32 << 20}) {
        prefetchAsMapsEnd(random, order, memory);
      }
    }
  }

  private void prefetchAsMapsEnd(SplittableRandom random, KeyOrder order, long memory)
      throws IOException {
    RandomPartition drawn = new RandomPartition(random.nextLong(), order, CodecId.LZ4, 12, 6);
    Partition partition = drawn.partition();
    try (Cluster cluster = new Cluster(partition, 2);
        Imerger imerger = cluster.open(cluster.config(memory, directory, Duration.ofSeconds(20)))) {
      for (long chunk : partition.chunkIds()) {
        partition.setState(chunk, ChunkState.OPEN);
      }
      int[] winners = drawn.winners();
      for (int known = 0; known <= winners.length; known += 4) {
        partition.setState(random.nextInt(1, 7), ChunkState.SORTED);
        // Maps may be run again: their first winner need not be the last one.
        int[] some = Arrays.copyOf(winners, known);
        for (int i = 1; i < some.length; i += 2) {
          some[i] = random.nextInt(3) == 0 ? 0 : some[i];
        }
        imerger.prefetch(some);
      }
      imerger.start(winners);
      cluster.checkRest(imerger, winners);
      assertThat(imerger.statistics().prefetchFailures()).isZero();
    }
  }

  @Test
  void openChunksAreLeftAlone(Seed seed) throws IOException {
    RandomPartition drawn =
        new RandomPartition(seed.value(), KeyOrder.normalized(KeyEncoding.RAW), CodecId.LZ4, 8, 4);
    Partition partition = drawn.partition();
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      for (long chunk : partition.chunkIds()) {
        partition.setState(chunk, chunk % 2 == 0 ? ChunkState.OPEN : ChunkState.STABLE);
      }
      imerger.prefetch(drawn.winners());
      assertThat(cluster.serverOf(0).awaits()).isZero();
      imerger.start(drawn.winners());
      cluster.checkRest(imerger, drawn.winners());
    }
  }

  @Test
  void aFailedPrefetchIsCountedAndRepeatedAtTheStart(Seed seed) throws IOException {
    RandomPartition drawn =
        new RandomPartition(seed.value(), KeyOrder.normalized(KeyEncoding.RAW), CodecId.LZ4, 8, 4);
    try (Cluster cluster = new Cluster(drawn.partition(), 1);
        Imerger imerger =
            cluster.open(cluster.config(32 << 20, directory, Duration.ofSeconds(3)))) {
      cluster
          .serverOf(0)
          .setFault(
              (operation, chunk, count, payload) -> {
                throw new ScriptedServer.Cut();
              });
      imerger.prefetch(drawn.winners());
      assertThat(imerger.statistics().prefetchFailures()).isEqualTo(1);
      cluster.serverOf(0).setFault((operation, chunk, count, payload) -> payload);
      imerger.start(drawn.winners());
      cluster.checkRest(imerger, drawn.winners());
    }
  }

  @Test
  void aMetaserverThatIsAwayIsNotWaitedForBeforeTheStart(Seed seed) throws IOException {
    RandomPartition drawn =
        new RandomPartition(seed.value(), KeyOrder.normalized(KeyEncoding.RAW), CodecId.LZ4, 8, 4);
    try (Cluster cluster = new Cluster(drawn.partition(), 1);
        Imerger imerger =
            cluster.open(cluster.config(32 << 20, directory, Duration.ofMillis(500)))) {
      cluster.metaserver().cutNext(Integer.MAX_VALUE);
      imerger.prefetch(drawn.winners());
      assertThat(imerger.statistics().prefetchFailures()).isEqualTo(1);
      cluster.metaserver().cutNext(0);
      imerger.start(drawn.winners());
      cluster.checkRest(imerger, drawn.winners());
    }
  }

  @Test
  void aPrefetchKeepsToHalfOfTheMemory(SplittableRandom random) throws IOException {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE)
            .withSortedBlockBytes(60_000);
    int[] winners = new int[20];
    for (int map = 0; map < 10; map++) {
      winners[2 * map] = map;
      byte[] value = new byte[50_000];
      for (int i = 0; i < 12; i++) {
        byte[] key = {(byte) random.nextInt(256), (byte) random.nextInt(256)};
        partition.append(map, 0, 1 + map, List.of(new Partition.Item(key, value)));
      }
    }
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger =
            cluster.open(cluster.config(3 << 20, directory, Duration.ofSeconds(20)))) {
      imerger.prefetch(winners);
      assertThat(imerger.statistics().prefetchedBytes()).isBetween(500_000L, 3L << 19);
      imerger.start(winners);
      cluster.checkRest(imerger, winners);
    }
  }
}
