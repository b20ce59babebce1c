package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * The map side of no shuffle: records are serialized, as every shuffle does, into a buffer that is
 * written over again and again. For the one thread of a map task.
 */
public final class OwnWorkCollector<K, V> implements MapOutputCollector<K, V> {
  private TaskReporter reporter;
  private Serializer<K> keySerializer;
  private Serializer<V> valueSerializer;
  private long records;

  /** Called by reflection. */
  public OwnWorkCollector() {}

  @Override
  @SuppressWarnings("unchecked")
  public void init(Context context) throws IOException {
    JobConf job = context.getJobConf();
    reporter = context.getReporter();
    Ring ring = new Ring();
    SerializationFactory serializations = new SerializationFactory(job);
    keySerializer = (Serializer<K>) serializations.getSerializer(job.getMapOutputKeyClass());
    keySerializer.open(ring);
    valueSerializer = (Serializer<V>) serializations.getSerializer(job.getMapOutputValueClass());
    valueSerializer.open(ring);
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException {
    reporter.progress();
    keySerializer.serialize(key);
    valueSerializer.serialize(value);
    records++;
  }

  @Override
  public void flush() {
    reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS).increment(records);
  }

  @Override
  public void close() throws IOException {
    keySerializer.close();
    valueSerializer.close();
  }

  /** Takes any number of bytes and keeps the last ones. */
  private static final class Ring extends OutputStream {
    private static final int BYTES = 64 << 10;

    private final byte[] buffer = new byte[BYTES];
    private int position;

    @Override
    public void write(int value) {
      buffer[position] = (byte) value;
      position = position + 1 & BYTES - 1;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      int from = offset;
      int left = length;
      while (left > 0) {
        int part = Math.min(left, BYTES - position);
        System.arraycopy(bytes, from, buffer, position, part);
        position = position + part & BYTES - 1;
        from += part;
        left -= part;
      }
    }
  }
}
