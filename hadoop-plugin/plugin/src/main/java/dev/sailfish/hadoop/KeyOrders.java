package dev.sailfish.hadoop;

import dev.sailfish.format.KeyEncoding;
import dev.sailfish.format.KeyOrder;
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

/**
 * Finds out whether a job's keys have a normalized form (DESIGN.md §4, invariant 4): only when key
 * class, serialization and comparator are exactly a combination whose order is known. Everything
 * else, subclasses too, is ordered by the job's own comparator.
 */
final class KeyOrders {
  private static final String HIVE_KEY = "org.apache.hadoop.hive.ql.io.HiveKey";

  private KeyOrders() {}

  /** The order of a job's map output keys. */
  static KeyOrder of(JobConf job) {
    RawComparator<?> comparator = job.getOutputKeyComparator();
    KeyEncoding encoding = encoding(job.getMapOutputKeyClass(), comparator.getClass());
    if (encoding != null && writtenAsWritable(job)) {
      return KeyOrder.normalized(encoding);
    }
    return KeyOrder.of(comparator::compare);
  }

  private static boolean writtenAsWritable(JobConf job) {
    return new SerializationFactory(job).getSerialization(job.getMapOutputKeyClass())
        instanceof WritableSerialization;
  }

  /** The encoding of this key class under this comparator, or null. */
  private static KeyEncoding encoding(Class<?> key, Class<?> comparator) {
    if (key == Text.class) {
      return comparator == Text.Comparator.class ? KeyEncoding.TEXT : null;
    }
    if (key == BytesWritable.class) {
      return comparator == BytesWritable.Comparator.class ? KeyEncoding.BYTES : null;
    }
    if (key.getName().equals(HIVE_KEY)) {
      return comparator.getName().equals(HIVE_KEY + "$Comparator") ? KeyEncoding.BYTES : null;
    }
    if (key == LongWritable.class) {
      if (comparator == LongWritable.DecreasingComparator.class) {
        return KeyEncoding.SIGNED_DESCENDING;
      }
      return comparator == LongWritable.Comparator.class ? KeyEncoding.SIGNED : null;
    }
    if (key == IntWritable.class) {
      return comparator == IntWritable.Comparator.class ? KeyEncoding.SIGNED : null;
    }
    if (key == NullWritable.class) {
      return comparator == NullWritable.Comparator.class ? KeyEncoding.RAW : null;
    }
    return rarerEncoding(key, comparator);
  }

  private static KeyEncoding rarerEncoding(Class<?> key, Class<?> comparator) {
    boolean signed =
        key == ShortWritable.class && comparator == ShortWritable.Comparator.class
            || key == ByteWritable.class && comparator == ByteWritable.Comparator.class;
    if (signed) {
      return KeyEncoding.SIGNED;
    }
    boolean floating =
        key == FloatWritable.class && comparator == FloatWritable.Comparator.class
            || key == DoubleWritable.class && comparator == DoubleWritable.Comparator.class;
    if (floating) {
      return KeyEncoding.FLOATING;
    }
    if (key == BooleanWritable.class && comparator == BooleanWritable.Comparator.class) {
      return KeyEncoding.RAW;
    }
    boolean variable = key == VIntWritable.class || key == VLongWritable.class;
    return variable && comparator == WritableComparator.class ? KeyEncoding.VARIABLE_INTEGER : null;
  }
}
