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
      if (value.length < TAG_BYTES) {
        return "record of number=" + tag.getLong() + " key=" + Arrays.toString(key);
      }
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
  private final boolean combined;

  /** */
  Input(long seed, Plan plan) {
    this.seed = seed;
    this.partitions = plan.partitions();
    this.mostRecords = plan.mostRecords();
    this.mostValueBytes = plan.mostValueBytes();
    this.repeatable = plan.repeatable();
    this.combined = plan.habits().combined();
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
      byte[] value = value(random, map, repeatable ? 0 : attempt, number);
      records.add(new Record(random.nextInt(partitions), key, value));
    }
    return records;
  }

  /** Says whose record it is, or is any number: then a sum says whether one was lost or doubled. */
  private byte[] value(SplittableRandom random, int map, int attempt, int number) {
    if (combined) {
      long any = random.nextLong() + attempt;
      return ByteBuffer.allocate(Long.BYTES).putLong(any).array();
    }
    byte[] value = new byte[TAG_BYTES + random.nextInt(mostValueBytes)];
    random.nextBytes(value);
    ByteBuffer.wrap(value).putInt(map).putInt(attempt).putInt(number);
    return value;
  }

  /** Whether reducers are given sums of values instead of the values. */
  boolean isCombined() {
    return combined;
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
