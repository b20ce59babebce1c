package dev.sailfish.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** What the maps of a job emit. */
final class Input {
  /** One record. */
  record Record(int partition, byte[] key, byte[] value) {
    @Override
    public String toString() {
      ByteBuffer tag = ByteBuffer.wrap(value);
      return "record of map="
          + tag.getInt()
          + " attempt="
          + tag.getInt()
          + " number="
          + tag.getInt()
          + " key="
          + Arrays.toString(key);
    }
  }

  private static final int TAG_BYTES = 12;
  private static final int KEY_BYTES = 3;

  private final long seed;
  private final int partitions;
  private final int mostRecords;
  private final int mostValueBytes;
  private final boolean repeatable;

  /**
   * @param repeatable whether all attempts of a map emit the same
   */
  Input(long seed, int partitions, int mostRecords, int mostValueBytes, boolean repeatable) {
    this.seed = seed;
    this.partitions = partitions;
    this.mostRecords = mostRecords;
    this.mostValueBytes = mostValueBytes;
    this.repeatable = repeatable;
  }

  /** What an attempt emits, in that order. */
  List<Record> of(int map, int attempt) {
    SplittableRandom random = new SplittableRandom(seed + map);
    int count = random.nextInt(mostRecords + 1);
    List<Record> records = new ArrayList<>(count);
    for (int number = 0; number < count; number++) {
      byte[] key = new byte[random.nextInt(KEY_BYTES + 1)];
      for (int i = 0; i < key.length; i++) {
        key[i] = (byte) ('a' + random.nextInt(3));
      }
      byte[] value = new byte[TAG_BYTES + random.nextInt(mostValueBytes)];
      random.nextBytes(value);
      ByteBuffer.wrap(value).putInt(map).putInt(repeatable ? 0 : attempt).putInt(number);
      records.add(new Record(random.nextInt(partitions), key, value));
    }
    return records;
  }

  /** What a reducer has to be given, in that order. */
  List<Record> expected(int partition, int[] winners) {
    List<Record> expected = new ArrayList<>();
    for (int i = 0; i < winners.length; i += 2) {
      for (Record record : of(winners[i], winners[i + 1])) {
        if (record.partition() == partition) {
          expected.add(record);
        }
      }
    }
    expected.sort((left, right) -> Arrays.compareUnsigned(left.key(), right.key()));
    return expected;
  }
}
