package dev.sailfish.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** One split per map of the {@link RandomJobSpec}; the mapper makes the records. */
public final class RandomInputFormat extends InputFormat<IntWritable, NullWritable> {
  /** For Hadoop's reflection. */
  public RandomInputFormat() {}

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    List<InputSplit> splits = new ArrayList<>();
    for (int map = 0; map < RandomJobSpec.of(context.getConfiguration()).maps(); map++) {
      splits.add(new MapSplit(map));
    }
    return splits;
  }

  @Override
  public RecordReader<IntWritable, NullWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new OneRecord();
  }

  /** The ordinal of a map. */
  public static class MapSplit extends InputSplit implements Writable {
    private int map;

    /** For Hadoop's reflection. */
    public MapSplit() {}

    MapSplit(int map) {
      this.map = map;
    }

    /** The ordinal. */
    final int map() {
      return map;
    }

    @Override
    public long getLength() {
      // Splits are ordered by length: this keeps map ordinals equal to task ordinals.
      return Integer.MAX_VALUE - map;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(map);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      map = in.readInt();
    }
  }

  private static final class OneRecord extends RecordReader<IntWritable, NullWritable> {
    private IntWritable key;
    private boolean delivered;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      key = new IntWritable(((MapSplit) split).map());
    }

    @Override
    public boolean nextKeyValue() {
      boolean first = !delivered;
      delivered = true;
      return first;
    }

    @Override
    public IntWritable getCurrentKey() {
      return key;
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
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
