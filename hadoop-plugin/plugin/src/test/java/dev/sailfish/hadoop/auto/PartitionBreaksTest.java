package dev.sailfish.hadoop.auto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;

class PartitionBreaksTest {
  /** Keys of one ten are a group. */
  public static final class Tens extends WritableComparator {
    public Tens() {
      super(IntWritable.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable left, WritableComparable right) {
      return ((IntWritable) left).get() / 10 - ((IntWritable) right).get() / 10;
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void shouldGroupAsTheJobButAtTheFirstRecordOfAPartition() {
    JobConf conf = new JobConf();
    conf.setMapOutputKeyClass(IntWritable.class);
    conf.setOutputValueGroupingComparator(Tens.class);
    PartitionBreaks.install(conf);
    RawComparator<Object> comparator = conf.getOutputValueGroupingComparator();
    assertThat(comparator).isInstanceOf(PartitionBreaks.class);
    PartitionBreaks.atRecord(false);
    assertThat(compare(comparator, 31, 38)).isZero();
    assertThat(compare(comparator, 38, 41)).isNegative();
    PartitionBreaks.atRecord(true);
    assertThat(compare(comparator, 31, 38)).isNotZero();
    PartitionBreaks.atRecord(false);
    assertThat(compare(comparator, 31, 38)).isZero();
    PartitionBreaks.remove();
    assertThatThrownBy(PartitionBreaks::new).hasMessage("not installed");
  }

  private static int compare(RawComparator<Object> comparator, int left, int right) {
    int compared = comparator.compare(new IntWritable(left), new IntWritable(right));
    byte[] a = {0, 0, 0, (byte) left};
    byte[] b = {0, 0, 0, (byte) right};
    assertThat(Integer.signum(comparator.compare(a, 0, 4, b, 0, 4)))
        .isEqualTo(Integer.signum(compared));
    return compared;
  }
}
