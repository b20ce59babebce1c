package dev.sailfish.hadoop;

import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.SortedRecords;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.util.Progress;

/**
 * Runs the job's combiner, of the old or the new API, over the iappender's full buffers. Its
 * results are serialized with the collector's own serializers. Called on the map task's thread.
 */
final class TaskCombiner<K, V> implements BlockCombiner {
  private final CombinerRunner<K, V> runner;
  private final Counters.Counter outputRecords;
  private Serializer<K> keySerializer;
  private Serializer<V> valueSerializer;

  /**
   * @param runner Hadoop's adapter of both APIs; counts the records that it reads
   * @param outputRecords counts the records that it writes
   */
  TaskCombiner(CombinerRunner<K, V> runner, Counters.Counter outputRecords) {
    this.runner = runner;
    this.outputRecords = outputRecords;
  }

  /** Gives it the serializers, which are opened on the iappender that it is given to. */
  void serializeWith(Serializer<K> keys, Serializer<V> values) {
    keySerializer = keys;
    valueSerializer = values;
  }

  @Override
  public void combine(SortedRecords sorted, Iappender.CombinedOutput combined) throws IOException {
    try {
      runner.combine(new Input(sorted), new Output(combined));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("combiner was interrupted");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ClassNotFoundException e) {
      throw new IOException("combiner class cannot be loaded: " + e.getMessage(), e);
    }
  }

  /** What the combiner writes. */
  private final class Output implements OutputCollector<K, V> {
    private final Iappender.CombinedOutput combined;

    Output(Iappender.CombinedOutput combined) {
      this.combined = combined;
    }

    @Override
    public void collect(K key, V value) throws IOException {
      outputRecords.increment(1);
      combined.startRecord();
      keySerializer.serialize(key);
      combined.endKey();
      valueSerializer.serialize(value);
      combined.endRecord();
    }
  }

  /** What the combiner reads. */
  private static final class Input implements RawKeyValueIterator {
    private final SortedRecords sorted;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final Progress progress = new Progress();

    Input(SortedRecords sorted) {
      this.sorted = sorted;
    }

    @Override
    public boolean next() {
      if (!sorted.next()) {
        return false;
      }
      key.reset(sorted.keyBuffer(), sorted.keyOffset(), sorted.keyLength());
      value.reset(sorted.valueBuffer(), sorted.valueOffset(), sorted.valueLength());
      return true;
    }

    @Override
    public DataInputBuffer getKey() {
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      return value;
    }

    @Override
    public void close() {
      progress.complete();
    }

    @Override
    public Progress getProgress() {
      return progress;
    }
  }
}
