package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.junit.jupiter.api.Test;

@Seeded
class SortedRecordsTest {
  private static HeavyPartitioner partitioner(int heavy) {
    Configuration configuration = new Configuration(false);
    configuration.setInt(HeavyPartitioner.HEAVY, heavy);
    HeavyPartitioner partitioner = new HeavyPartitioner();
    partitioner.setConf(configuration);
    return partitioner;
  }

  private static byte[] read(DataInputBuffer buffer) throws Exception {
    BytesWritable read = new BytesWritable();
    read.readFields(buffer);
    assertThat(buffer.available()).isZero();
    return read.copyBytes();
  }

  /** Checks all records of a partition; returns how many there are. */
  private static long check(long seed, long all, int heavy, int partition, int partitions)
      throws Exception {
    HeavyPartitioner partitioner = partitioner(heavy);
    SortedRecords records = new SortedRecords(seed, all, partitioner, partition, partitions);
    byte[] previous = null;
    long count = 0;
    while (records.next()) {
      byte[] key = read(records.getKey());
      byte[] value = read(records.getValue());
      if (key.length != SyntheticRecords.KEY_BYTES
          || value.length != SyntheticRecords.VALUE_BYTES
          || previous != null && Arrays.compareUnsigned(previous, key) >= 0
          || partitioner.getPartition(new BytesWritable(key), null, partitions) != partition) {
        throw new AssertionError(
            "record %d of partition %d of %d: %s".formatted(count, partition, partitions, key));
      }
      previous = key;
      count++;
    }
    assertThat(count).isEqualTo(records.count());
    return count;
  }

  @Test
  void eachPartitionHasItsOwnInOrderAndAllTogetherAreAll(Seed seed, SplittableRandom random)
      throws Exception {
    for (int partitions : new int[] {1, 8, 7, 64, 1 + random.nextInt(200)}) {
      int heavy = random.nextInt(4);
      long all = random.nextLong(200_000);
      long sum = 0;
      for (int partition = 0; partition < partitions; partition++) {
        sum += check(seed.value(), all, heavy, partition, partitions);
      }
      assertThat(sum).isEqualTo(all);
    }
  }

  @Test
  void aHeavyPartitionHasNineTimesAsMany(Seed seed) throws Exception {
    assertThat(check(seed.value(), 130_000, 1, 0, 5)).isEqualTo(90_000);
    assertThat(check(seed.value(), 130_000, 1, 4, 5)).isEqualTo(10_000);
  }

  @Test
  void manyPartitionsAreRightToo(Seed seed, SplittableRandom random) throws Exception {
    assertThat(check(seed.value(), 5_000_000, 0, random.nextInt(5_000), 5_000)).isEqualTo(1_000);
  }

  @Test
  void theSeedDeterminesTheRecords(Seed seed) throws Exception {
    assertThat(firstKey(seed.value())).isEqualTo(firstKey(seed.value()));
    assertThat(firstKey(seed.value())).isNotEqualTo(firstKey(seed.value() + 1));
  }

  private static byte[] firstKey(long seed) throws Exception {
    SortedRecords records = new SortedRecords(seed, 1_000, partitioner(0), 2, 4);
    assertThat(records.next()).isTrue();
    return read(records.getKey());
  }
}
