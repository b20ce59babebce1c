package dev.sailfish.benchmarks.jobs.mapreduce;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.reduce.WrappedReducer;
import org.apache.hadoop.mapreduce.task.ReduceContextImpl;
import org.apache.hadoop.util.Progress;

/** Records in memory that a reducer is given as Hadoop gives them. */
final class ReduceInput implements RawKeyValueIterator {
  private final Configuration configuration;
  private final TaskAttemptID attempt;
  private final Reporter reporter = new Reporter(new Counters());
  private final List<DataInputBuffer> keys = new ArrayList<>();
  private final List<DataInputBuffer> values = new ArrayList<>();
  private int current = -1;

  /** For the reduce task of this number. */
  ReduceInput(Configuration configuration, int task) {
    this.configuration = configuration;
    attempt = new TaskAttemptID(new TaskID("test", 1, TaskType.REDUCE, task), 0);
  }

  /** One record more, in the order in which they come. */
  void add(byte[] key, byte[] value) throws Exception {
    keys.add(serialized(new BytesWritable(key)));
    values.add(serialized(new BytesWritable(value)));
  }

  private static DataInputBuffer serialized(Writable writable) throws Exception {
    DataOutputBuffer out = new DataOutputBuffer();
    writable.write(out);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    return in;
  }

  /** Runs the reducer over all records; returns what it counted. */
  @SuppressWarnings("unchecked") // Hadoop's comparators of Writables are raw
  Counters reduce(Reducer<BytesWritable, BytesWritable, NullWritable, NullWritable> reducer)
      throws Exception {
    reducer.run(
        new WrappedReducer<BytesWritable, BytesWritable, NullWritable, NullWritable>()
            .getReducerContext(
                new ReduceContextImpl<>(
                    configuration,
                    attempt,
                    this,
                    reporter.getCounter("input", "keys"),
                    reporter.getCounter("input", "values"),
                    null,
                    null,
                    reporter,
                    new BytesWritable.Comparator(),
                    BytesWritable.class,
                    BytesWritable.class)));
    return reporter.counters;
  }

  @Override
  public boolean next() {
    return ++current < keys.size();
  }

  @Override
  public DataInputBuffer getKey() {
    return keys.get(current);
  }

  @Override
  public DataInputBuffer getValue() {
    return values.get(current);
  }

  @Override
  public void close() {}

  @Override
  public Progress getProgress() {
    return new Progress();
  }

  /** Keeps what is counted. */
  private static final class Reporter extends StatusReporter {
    private final Counters counters;

    Reporter(Counters counters) {
      this.counters = counters;
    }

    @Override
    public Counter getCounter(Enum<?> name) {
      return counters.findCounter(name);
    }

    @Override
    public Counter getCounter(String group, String name) {
      return counters.findCounter(group, name);
    }

    @Override
    public void progress() {}

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void setStatus(String status) {}
  }
}
