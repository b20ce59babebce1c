package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.util.Progressable;

/**
 * What every correct shuffle must deliver alike: a line per group, and within it a line per run of
 * keys that are equal to the sort comparator, with a count and an order-free sum over the bytes of
 * its records (stock defines no order among the values of equal keys). Fails when keys go
 * backwards.
 *
 * <p>A reducer that does not take all values of a group says nothing of those that it took, but of
 * their keys: which values come first is not defined either.
 *
 * <p>With {@link RandomJobSpec#AS_THEY_COME} there is a line per record in the order of delivery.
 */
final class Digest {
  private final DataOutputBuffer current = new DataOutputBuffer();
  private final DataOutputBuffer previous = new DataOutputBuffer();
  private final Text line = new Text();
  private final RawComparator<?> comparator;
  private final Serializer<Object> keys;
  private final boolean asTheyCome;
  private final boolean severalPartitions;
  private final RandomJobSpec spec;
  private final OutputCollector<NullWritable, Text> output;
  private final Progressable task;
  private final Pace pace;
  private boolean anyKey;
  private long taken;
  private long count;
  private long sum;

  /** Of one partition of a job, written to {@code output}; {@code task} is told of progress. */
  Digest(JobConf job, OutputCollector<NullWritable, Text> output, Progressable task)
      throws IOException {
    this.output = output;
    this.task = task;
    comparator = job.getOutputKeyComparator();
    keys = serializer(job, job.getMapOutputKeyClass());
    keys.open(current);
    asTheyCome = job.getBoolean(RandomJobSpec.AS_THEY_COME, false);
    severalPartitions = job.getBoolean(RandomJobSpec.SEVERAL_PARTITIONS, false);
    spec = RandomJobSpec.of(job);
    // Maps emit half of their most records on average.
    long expected = (long) spec.maps() * spec.recordsPerMap() / 2 / spec.reduces();
    pace = new Pace(job.getInt(RandomJobSpec.REDUCE_MS, 0), expected);
  }

  @SuppressWarnings("unchecked")
  private static Serializer<Object> serializer(JobConf job, Class<?> type) {
    return (Serializer<Object>) new SerializationFactory(job).getSerializer(type);
  }

  /**
   * One value of the current group, with the key that came with it.
   *
   * @return whether the reducer wants another one of this group
   */
  boolean take(Object key, Object value) throws IOException {
    pace.step(task);
    current.reset();
    keys.serialize(key);
    nextRun();
    taken++;
    long keyHash = hash(current.getData(), current.getLength(), 17);
    if (spec.combined()) {
      takeSum(keyHash, ((LongWritable) value).get());
    } else {
      takeBytes(keyHash, (BytesWritable) value);
    }
    return spec.habits().patience() == 0 || taken < spec.habits().patience();
  }

  private void nextRun() throws IOException {
    if (anyKey) {
      int order =
          comparator.compare(
              previous.getData(),
              0,
              previous.getLength(),
              current.getData(),
              0,
              current.getLength());
      if (order > 0 && !(severalPartitions && taken == 0)) {
        throw new IOException("keys go backwards in " + spec);
      }
      if (order != 0 && taken > 0) {
        endRun();
      }
    }
    anyKey = true;
    previous.reset();
    previous.write(current.getData(), 0, current.getLength());
  }

  /** Combiners change how many records there are. */
  private void takeSum(long keyHash, long value) throws IOException {
    sum += value;
    count = 1;
    if (asTheyCome) {
      write(Long.toHexString(keyHash) + " " + value);
    }
  }

  private void takeBytes(long keyHash, BytesWritable value) throws IOException {
    long hash = hash(value.getBytes(), value.getLength(), keyHash);
    sum += spec.habits().patience() == 0 ? hash : keyHash;
    count++;
    if (asTheyCome) {
      write(Long.toHexString(hash));
    }
  }

  /** The group ends, or the reducer wants no more of it. */
  void endGroup() throws IOException {
    endRun();
    write("group");
    taken = 0;
  }

  private void endRun() throws IOException {
    if (count > 0) {
      write(count + " " + Long.toHexString(sum));
    }
    count = 0;
    sum = 0;
  }

  private void write(String text) throws IOException {
    line.set(text);
    output.collect(NullWritable.get(), line);
  }

  private static long hash(byte[] bytes, int length, long seed) {
    long hash = seed;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
    }
    return (hash ^ (hash >>> 29)) * 0xbf58476d1ce4e5b9L;
  }
}
