package dev.sailfish.hadoop;

import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.order.StoredKeyComparator;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.VLongWritable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.WritableSerialization;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;

/**
 * Finds out whether a job's keys have a normalized form (DESIGN.md §4, invariant 4): only when key
 * class, serialization and comparator are exactly a combination whose order is known. Everything
 * else, subclasses too, is ordered by the job's own comparator.
 */
public final class KeyOrders {
  private static final String HIVE_KEY = "org.apache.hadoop.hive.ql.io.HiveKey";

  private KeyOrders() {}

  /** The order of a job's map output keys. */
  public static KeyOrder of(JobConf job) {
    RawComparator<?> comparator = job.getOutputKeyComparator();
    KeyEncoding encoding = encoding(job.getMapOutputKeyClass(), comparator.getClass());
    if (encoding != null && writtenAsWritable(job)) {
      return KeyOrder.normalized(encoding);
    }
    return KeyOrder.of(comparator::compare);
  }

  /** The order of a job's map output keys, and what its groups are. */
  public static GroupOrder groups(JobConf job) {
    KeyOrder keys = of(job);
    boolean own = job.getClass(JobContext.GROUP_COMPARATOR_CLASS, null) != null;
    RawComparator<?> groups = job.getOutputValueGroupingComparator();
    boolean same =
        keys.comparator() == null
            && encoding(job.getMapOutputKeyClass(), groups.getClass()) == keys.encoding();
    return new GroupOrder(
        keys, own && !same ? StoredKeyComparator.of(keys.encoding(), groups::compare) : null);
  }

  private static boolean writtenAsWritable(JobConf job) {
    return new SerializationFactory(job).getSerialization(job.getMapOutputKeyClass())
        instanceof WritableSerialization;
  }

  /** The encoding of this key class under this comparator, or null. */
  private static KeyEncoding encoding(Class<?> key, Class<?> comparator) {
    if (key == LongWritable.class && comparator == LongWritable.DecreasingComparator.class) {
      return KeyEncoding.SIGNED_DESCENDING;
    }
    if (comparator == WritableComparator.class) {
      boolean variable = key == VIntWritable.class || key == VLongWritable.class;
      return variable ? KeyEncoding.VARIABLE_INTEGER : null;
    }
    return comparator.getName().equals(key.getName() + "$Comparator") ? encoding(key) : null;
  }

  /** The encoding of this key class under its own comparator, or null. */
  private static KeyEncoding encoding(Class<?> key) {
    if (key == Text.class) {
      return KeyEncoding.TEXT;
    }
    if (key == BytesWritable.class || key.getName().equals(HIVE_KEY)) {
      return KeyEncoding.BYTES;
    }
    if (key == NullWritable.class || key == BooleanWritable.class) {
      return KeyEncoding.RAW;
    }
    if (key == LongWritable.class
        || key == IntWritable.class
        || key == ShortWritable.class
        || key == ByteWritable.class) {
      return KeyEncoding.SIGNED;
    }
    boolean floating = key == FloatWritable.class || key == DoubleWritable.class;
    return floating ? KeyEncoding.FLOATING : null;
  }
}
