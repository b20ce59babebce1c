package dev.sailfish.hadoop;

import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.CombinedOutput;
import dev.sailfish.iappender.SortedRecords;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.util.Progress;

/**
 * Runs the job's combiner, of the old or the new API, over the iappender's full buffers. Its
 * results are serialized with the collector's own serializers, if they are of the classes that the
 * job declared; else the map fails with the words of Hadoop's IFile.Writer. Called on the map
 * task's thread.
 */
final class TaskCombiner<K, V> implements BlockCombiner {
  private final CombinerRunner<K, V> runner;
  private final Counters.Counter outputRecords;
  private final IfileMapOutputCollector<K, V> collector;

  private TaskCombiner(
      CombinerRunner<K, V> runner,
      Counters.Counter outputRecords,
      IfileMapOutputCollector<K, V> collector) {
    this.runner = runner;
    this.outputRecords = outputRecords;
    this.collector = collector;
  }

  /**
   * A combiner of map output.
   *
   * @param runner Hadoop's adapter of both APIs; counts the records that it reads
   * @param outputRecords counts the records that it writes
   * @param collector has the serializers and classes of map output when records are combined
   */
  static <K, V> BlockCombiner of(
      CombinerRunner<K, V> runner,
      Counters.Counter outputRecords,
      IfileMapOutputCollector<K, V> collector) {
    return new TaskCombiner<>(runner, outputRecords, collector);
  }

  @Override
  public void combine(SortedRecords sorted, CombinedOutput combined) throws IOException {
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

  /** What the combiner writes; from several threads of its own too, as with stock. */
  private final class Output implements OutputCollector<K, V> {
    private final CombinedOutput combined;

    Output(CombinedOutput combined) {
      this.combined = combined;
    }

    @Override
    public synchronized void collect(K key, V value) throws IOException {
      outputRecords.increment(1);
      requireClass("key", key, collector.keyClass);
      requireClass("value", value, collector.valueClass);
      boolean complete = false;
      combined.startRecord();
      try {
        collector.keySerializer.serialize(key);
        combined.endKey();
        collector.valueSerializer.serialize(value);
        combined.endRecord();
        complete = true;
      } finally {
        if (!complete) {
          combined.abandonRecord();
        }
      }
    }
  }

  private static void requireClass(String what, Object of, Class<?> right) throws IOException {
    if (of.getClass() != right) {
      throw new IOException("wrong " + what + " class: " + of.getClass() + " is not " + right);
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
