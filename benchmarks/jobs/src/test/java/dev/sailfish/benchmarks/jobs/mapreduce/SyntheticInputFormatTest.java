package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.junit.jupiter.api.Test;

class SyntheticInputFormatTest {
  private static List<InputSplit> splits(long records, int maps) {
    Configuration configuration = new Configuration(false);
    configuration.setLong(SyntheticInputFormat.RECORDS, records);
    configuration.setInt(SyntheticInputFormat.SPLITS, maps);
    return new SyntheticInputFormat().getSplits(new JobContextImpl(configuration, new JobID()));
  }

  private static long totalLength(List<InputSplit> splits) {
    return splits.stream()
        .mapToLong(split -> ((SyntheticInputFormat.Split) split).getLength())
        .sum();
  }

  @Test
  void splitsShareTheRecordsWithoutLosingAny() {
    assertThat(splits(10, 3)).hasSize(3);
    assertThat(totalLength(splits(10, 3))).isEqualTo(10L * SyntheticRecords.RECORD_BYTES);
  }

  @Test
  void theNullJobHasItsMapsToo() {
    assertThat(splits(0, 4)).hasSize(4);
    assertThat(totalLength(splits(0, 4))).isZero();
  }
}
