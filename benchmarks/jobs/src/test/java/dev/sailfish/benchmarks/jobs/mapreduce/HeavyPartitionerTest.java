package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.junit.jupiter.api.Test;

@Seeded
class HeavyPartitionerTest {
  private static final int RECORDS_PER_SHARE = 10_000;

  /** Seven standard deviations of what a share gets. */
  private static final double TOLERANCE = 0.07;

  private static int[] records(Seed seed, int heavy, int partitions, int shares) {
    HeavyPartitioner partitioner = new HeavyPartitioner();
    Configuration configuration = new Configuration(false);
    configuration.setInt(HeavyPartitioner.HEAVY, heavy);
    partitioner.setConf(configuration);
    SyntheticRecords source = new SyntheticRecords(seed.value());
    byte[] key = new byte[SyntheticRecords.KEY_BYTES];
    byte[] value = SyntheticRecords.newValue();
    int[] records = new int[partitions];
    for (int i = 0; i < shares * RECORDS_PER_SHARE; i++) {
      source.next(key, value);
      records[partitioner.getPartition(new BytesWritable(key), null, partitions)]++;
    }
    return records;
  }

  private static void assertShares(int records, int shares) {
    double share = (double) records / RECORDS_PER_SHARE;
    assertThat(share).isCloseTo(shares, within(shares * TOLERANCE));
  }

  @Test
  void theFirstPartitionsGetNineTimesWhatTheOthersDo(Seed seed, SplittableRandom random) {
    int partitions = 2 + random.nextInt(8);
    int heavy = 1 + random.nextInt(partitions - 1);
    int[] records = records(seed, heavy, partitions, 9 * heavy + partitions - heavy);
    for (int partition = 0; partition < partitions; partition++) {
      assertShares(records[partition], partition < heavy ? 9 : 1);
    }
  }

  @Test
  void withoutHeavyOnesAllGetTheSame(Seed seed) {
    for (int records : records(seed, 0, 4, 4)) {
      assertShares(records, 1);
    }
  }

  @Test
  void moreHeavyOnesThanPartitionsAreAllOfThem(Seed seed) {
    for (int records : records(seed, 7, 2, 4)) {
      assertShares(records, 2);
    }
  }
}
