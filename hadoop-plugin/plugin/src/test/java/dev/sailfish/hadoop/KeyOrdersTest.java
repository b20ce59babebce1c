package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.KeyEncoding;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.VLongWritable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.serializer.JavaSerializationComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

/** Which jobs' keys servers may sort: exactly those whose order is known. */
class KeyOrdersTest {
  private static JobConf job(Class<?> key, Class<?> comparator) {
    JobConf job = new JobConf(false);
    job.set(
        "io.serializations",
        "org.apache.hadoop.io.serializer.WritableSerialization,"
            + "org.apache.hadoop.io.serializer.JavaSerialization");
    job.setMapOutputKeyClass(key);
    if (comparator != null) {
      job.setClass(MRJobConfig.KEY_COMPARATOR, comparator, RawComparator.class);
    }
    return job;
  }

  private static void assertNormalized(Class<?> key, KeyEncoding encoding) {
    assertThat(KeyOrders.of(job(key, null)).ordering())
        .as("%s", key)
        .isEqualTo(Ordering.NORMALIZED);
    assertThat(KeyOrders.of(job(key, null)).encoding()).as("%s", key).isEqualTo(encoding);
  }

  private static void assertCompared(Class<?> key, Class<?> comparator) {
    assertThat(KeyOrders.of(job(key, comparator)).ordering())
        .as("%s by %s", key, comparator)
        .isEqualTo(Ordering.COMPARATOR);
  }

  @Test
  void keysOfHadoopInTheirOwnOrderAreNormalized() {
    assertNormalized(Text.class, KeyEncoding.TEXT);
    assertNormalized(BytesWritable.class, KeyEncoding.BYTES);
    assertNormalized(ByteWritable.class, KeyEncoding.SIGNED);
    assertNormalized(ShortWritable.class, KeyEncoding.SIGNED);
    assertNormalized(IntWritable.class, KeyEncoding.SIGNED);
    assertNormalized(LongWritable.class, KeyEncoding.SIGNED);
    assertNormalized(FloatWritable.class, KeyEncoding.FLOATING);
    assertNormalized(DoubleWritable.class, KeyEncoding.FLOATING);
    assertNormalized(VIntWritable.class, KeyEncoding.VARIABLE_INTEGER);
    assertNormalized(VLongWritable.class, KeyEncoding.VARIABLE_INTEGER);
    assertNormalized(BooleanWritable.class, KeyEncoding.RAW);
    assertNormalized(NullWritable.class, KeyEncoding.RAW);
  }

  @Test
  void descendingLongsAreNormalized() {
    assertThat(
            KeyOrders.of(job(LongWritable.class, LongWritable.DecreasingComparator.class))
                .encoding())
        .isEqualTo(KeyEncoding.SIGNED_DESCENDING);
  }

  /** Says what its class says, by another class. */
  public static final class OwnText extends WritableComparator {
    /** For Hadoop. */
    public OwnText() {
      super(Text.class, true);
    }
  }

  /** A text that nothing more is known of. */
  public static final class SubText extends Text {}

  @Test
  void everythingElseIsComparedByTheJob() {
    assertCompared(Text.class, OwnText.class);
    assertCompared(SubText.class, null);
    assertCompared(MD5Hash.class, null);
    assertCompared(String.class, JavaSerializationComparator.class);
    assertCompared(IntWritable.class, LongWritable.DecreasingComparator.class);
  }
}
