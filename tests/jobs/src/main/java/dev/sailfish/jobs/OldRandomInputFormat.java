package dev.sailfish.jobs;

import dev.sailfish.jobs.RandomInputFormat.MapSplit;
import java.util.stream.IntStream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/** {@link RandomInputFormat} of the old API. */
public final class OldRandomInputFormat implements InputFormat<IntWritable, NullWritable> {
  /** For Hadoop's reflection. */
  public OldRandomInputFormat() {}

  @Override
  public InputSplit[] getSplits(JobConf job, int hint) {
    return IntStream.range(0, RandomJobSpec.of(job).maps())
        .mapToObj(OldMapSplit::new)
        .toArray(InputSplit[]::new);
  }

  @Override
  public RecordReader<IntWritable, NullWritable> getRecordReader(
      InputSplit split, JobConf job, Reporter reporter) {
    return new OneRecord(((OldMapSplit) split).map());
  }

  /** The ordinal of a map. */
  public static final class OldMapSplit extends MapSplit implements InputSplit {
    /** For Hadoop's reflection. */
    public OldMapSplit() {}

    private OldMapSplit(int map) {
      super(map);
    }
  }

  private static final class OneRecord implements RecordReader<IntWritable, NullWritable> {
    private final int map;
    private boolean delivered;

    OneRecord(int map) {
      this.map = map;
    }

    @Override
    public boolean next(IntWritable key, NullWritable value) {
      boolean first = !delivered;
      delivered = true;
      key.set(map);
      return first;
    }

    @Override
    public IntWritable createKey() {
      return new IntWritable();
    }

    @Override
    public NullWritable createValue() {
      return NullWritable.get();
    }

    @Override
    public long getPos() {
      return delivered ? 1 : 0;
    }

    @Override
    public float getProgress() {
      return delivered ? 1 : 0;
    }

    @Override
    public void close() {
      delivered = true;
    }
  }
}
