package dev.sailfish.imerger;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.TestBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Draws partitions with losers, duplicates and empty attempts. */
final class RandomPartition {
  /** Descending by bytes: nothing that a server could sort by. */
  static final KeyComparator DESCENDING =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          -Arrays.compareUnsigned(
              left,
              leftOffset,
              leftOffset + leftLength,
              right,
              rightOffset,
              rightOffset + rightLength);

  private final SplittableRandom random;
  private final Partition partition;
  private final KeyEncoding encoding;
  private final int distinct;
  private final int[] winners;

  /**
   * @param seed same seed, same partition
   * @param maps how many map tasks
   * @param chunks how many chunks at most
   */
  RandomPartition(long seed, KeyOrder order, CodecId codec, int maps, int chunks) {
    random = new SplittableRandom(seed);
    encoding = order.encoding();
    partition =
        new Partition(order, codec)
            .withRunsPerChunk(random.nextInt(1, 4))
            .withSortedBlockBytes(random.nextInt(1, 5000));
    distinct = random.nextInt(4) == 0 ? 3 : 100_000;
    winners = new int[2 * maps];
    for (int map = 0; map < maps; map++) {
      int attempts = random.nextInt(1, 4);
      winners[2 * map] = map;
      winners[2 * map + 1] = random.nextInt(attempts);
      for (int attempt = 0; attempt < attempts; attempt++) {
        fill(map, attempt, chunks);
      }
    }
  }

  private void fill(int map, int attempt, int chunks) {
    if (random.nextInt(8) == 0) {
      partition.appendNothing(map, attempt);
      return;
    }
    int blocks = random.nextInt(1, 6);
    for (int i = 0; i < blocks; i++) {
      long chunk = 1 + random.nextInt(chunks);
      Partition.Block block = partition.append(map, attempt, chunk, items(random.nextInt(1, 60)));
      if (random.nextInt(4) == 0) {
        partition.duplicate(block, 1 + random.nextInt(chunks));
      }
    }
  }

  private List<Partition.Item> items(int count) {
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] value = TestBytes.compressible(random, TestBytes.skewedLength(random, 300), 0.5);
      items.add(new Partition.Item(Keys.random(encoding, random, distinct), value));
    }
    return items;
  }

  Partition partition() {
    return partition;
  }

  int[] winners() {
    return winners;
  }
}
