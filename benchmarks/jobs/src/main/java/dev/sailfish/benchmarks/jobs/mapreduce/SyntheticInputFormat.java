package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Input that exists nowhere: each split is a seed and a number of records, and gives its map task
 * exactly that pair.
 */
public final class SyntheticInputFormat extends InputFormat<LongWritable, LongWritable> {
  static final String RECORDS = "partitioned.sort.records";
  static final String SPLITS = "partitioned.sort.maps";
  static final String SEED = "partitioned.sort.seed";

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    Configuration configuration = context.getConfiguration();
    long records = configuration.getLong(RECORDS, 0);
    int splits = configuration.getInt(SPLITS, 1);
    long seed = configuration.getLong(SEED, 1);
    List<InputSplit> result = new ArrayList<>();
    for (int i = 0; i < splits; i++) {
      long share = records / splits + (i < records % splits ? 1 : 0);
      result.add(new Split(seed + i, share));
    }
    return result;
  }

  @Override
  public RecordReader<LongWritable, LongWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Reader();
  }

  /** What one map task generates. */
  public static final class Split extends InputSplit implements Writable {
    private long seed;
    private long records;

    /** For deserialization. */
    public Split() {}

    Split(long seed, long records) {
      this.seed = seed;
      this.records = records;
    }

    @Override
    public long getLength() {
      return records * SyntheticRecords.RECORD_BYTES;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(seed);
      out.writeLong(records);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      seed = in.readLong();
      records = in.readLong();
    }
  }

  private static final class Reader extends RecordReader<LongWritable, LongWritable> {
    private LongWritable seed;
    private LongWritable records;
    private boolean read;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      seed = new LongWritable(((Split) split).seed);
      records = new LongWritable(((Split) split).records);
    }

    @Override
    public boolean nextKeyValue() {
      boolean first = !read;
      read = true;
      return first;
    }

    @Override
    public LongWritable getCurrentKey() {
      return seed;
    }

    @Override
    public LongWritable getCurrentValue() {
      return records;
    }

    @Override
    public float getProgress() {
      return read ? 1 : 0;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
