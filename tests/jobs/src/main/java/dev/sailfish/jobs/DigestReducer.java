package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Writes what every correct shuffle must deliver alike: a line per group, and within it a line per
 * run of keys that are equal to the sort comparator, with a count and an order-free sum over the
 * bytes of its records (stock defines no order among the values of equal keys). Fails when keys go
 * backwards.
 *
 * <p>With {@link RandomJobSpec#AS_THEY_COME} it writes a line per record in the order of delivery.
 */
public final class DigestReducer extends Reducer<Object, Object, NullWritable, Text> {
  private final DataOutputBuffer current = new DataOutputBuffer();
  private final DataOutputBuffer previous = new DataOutputBuffer();
  private final Text line = new Text();
  private RawComparator<?> comparator;
  private Serializer<Object> keys;
  private boolean asTheyCome;
  private boolean combined;
  private Pace pace;
  private boolean anyKey;
  private long count;
  private long sum;

  /** For Hadoop's reflection. */
  public DigestReducer() {}

  @Override
  protected void setup(Context context) throws IOException {
    Configuration conf = context.getConfiguration();
    JobConf job = new JobConf(conf);
    comparator = job.getOutputKeyComparator();
    keys = serializer(conf, job.getMapOutputKeyClass());
    keys.open(current);
    asTheyCome = conf.getBoolean(RandomJobSpec.AS_THEY_COME, false);
    RandomJobSpec spec = RandomJobSpec.of(conf);
    combined = spec.combined();
    // Maps emit half of their most records on average.
    long expected = (long) spec.maps() * spec.recordsPerMap() / 2 / spec.reduces();
    pace = new Pace(conf.getInt(RandomJobSpec.REDUCE_MS, 0), expected);
  }

  @SuppressWarnings("unchecked")
  private static Serializer<Object> serializer(Configuration conf, Class<?> type) {
    return (Serializer<Object>) new SerializationFactory(conf).getSerializer(type);
  }

  @Override
  protected void reduce(Object key, Iterable<Object> values, Context context)
      throws IOException, InterruptedException {
    boolean first = true;
    for (Object value : values) {
      pace.step(context);
      current.reset();
      keys.serialize(context.getCurrentKey());
      nextRun(first, context);
      first = false;
      take(value, context);
    }
    endRun(context);
    write("group", context);
  }

  private void nextRun(boolean first, Context context) throws IOException, InterruptedException {
    if (anyKey) {
      int order =
          comparator.compare(
              previous.getData(),
              0,
              previous.getLength(),
              current.getData(),
              0,
              current.getLength());
      if (order > 0) {
        throw new IOException("keys go backwards in " + context.getTaskAttemptID());
      }
      if (order != 0 && !first) {
        endRun(context);
      }
    }
    anyKey = true;
    previous.reset();
    previous.write(current.getData(), 0, current.getLength());
  }

  private void take(Object value, Context context) throws IOException, InterruptedException {
    long keyHash = hash(current.getData(), current.getLength(), 17);
    if (combined) {
      // Combiners change how many records there are, and their keys are equal but not the same.
      sum += ((LongWritable) value).get();
      count = 1;
      if (asTheyCome) {
        write(Long.toHexString(keyHash) + " " + ((LongWritable) value).get(), context);
      }
      return;
    }
    BytesWritable bytes = (BytesWritable) value;
    long hash = hash(bytes.getBytes(), bytes.getLength(), keyHash);
    if (asTheyCome) {
      write(Long.toHexString(hash), context);
    }
    sum += hash;
    count++;
  }

  private void endRun(Context context) throws IOException, InterruptedException {
    if (count > 0) {
      write(count + " " + Long.toHexString(sum), context);
    }
    count = 0;
    sum = 0;
  }

  private void write(String text, Context context) throws IOException, InterruptedException {
    line.set(text);
    context.write(NullWritable.get(), line);
  }

  private static long hash(byte[] bytes, int length, long seed) {
    long hash = seed;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
    }
    return (hash ^ (hash >>> 29)) * 0xbf58476d1ce4e5b9L;
  }
}
