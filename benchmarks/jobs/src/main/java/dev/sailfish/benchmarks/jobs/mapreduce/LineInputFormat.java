package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.Line;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.LineSource;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * The lines of a {@link PaperJob}, as if they were read from files of text: the key is a line's
 * index. Counts what it has generated.
 */
public final class LineInputFormat extends InputFormat<LongWritable, Text> {
  private static final String JOB = "paper.job.name";
  private static final String SCALE = "paper.job.scale";
  private static final String SEED = "paper.job.seed";

  /** Says what a job reads. */
  static void setInput(Configuration configuration, PaperJob job, double scale, long seed) {
    configuration.setEnum(JOB, job);
    configuration.setDouble(SCALE, scale);
    configuration.setLong(SEED, seed);
  }

  /** What a job reads. */
  static LineSource source(Configuration configuration) {
    return configuration
        .getEnum(JOB, PaperJob.LOG_COUNT)
        .source(configuration.getDouble(SCALE, 1), configuration.getLong(SEED, 1));
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    LineSource source = source(context.getConfiguration());
    List<InputSplit> splits = new ArrayList<>();
    long first = 0;
    for (long lines : source.splits()) {
      splits.add(new Split(first, lines, lines * source.lineBytes(first)));
      first += lines;
    }
    return splits;
  }

  @Override
  public RecordReader<LongWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Reader((Split) split, context);
  }

  /** What one map task reads. */
  public static final class Split extends InputSplit implements Writable {
    private long first;
    private long lines;
    private long bytes;

    /** For deserialization. */
    public Split() {}

    private Split(long first, long lines, long bytes) {
      this.first = first;
      this.lines = lines;
      this.bytes = bytes;
    }

    @Override
    public long getLength() {
      return bytes;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(first);
      out.writeLong(lines);
      out.writeLong(bytes);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      first = in.readLong();
      lines = in.readLong();
      bytes = in.readLong();
    }
  }

  private static final class Reader extends RecordReader<LongWritable, Text> {
    private final LineSource source;
    private final TaskAttemptContext context;
    private final Split split;
    private final Line line;
    private final LongWritable index = new LongWritable();
    private final Text text = new Text();
    private long read;
    private long hashSum;

    Reader(Split split, TaskAttemptContext context) {
      this.split = split;
      this.context = context;
      source = source(context.getConfiguration());
      line = new Line(source.longest());
    }

    @Override
    public void initialize(InputSplit again, TaskAttemptContext sameContext) {
      // All is known from the start.
    }

    @Override
    public boolean nextKeyValue() {
      if (read == split.lines) {
        return false;
      }
      index.set(split.first + read++);
      hashSum += source.write(index.get(), line);
      text.set(line.bytes(), 0, line.length());
      return true;
    }

    @Override
    public LongWritable getCurrentKey() {
      return index;
    }

    @Override
    public Text getCurrentValue() {
      return text;
    }

    @Override
    public float getProgress() {
      return split.lines == 0 ? 1 : (float) read / split.lines;
    }

    @Override
    public void close() {
      context.getCounter(Check.GENERATED_RECORDS).increment(read);
      context.getCounter(Check.GENERATED_HASH_SUM).increment(hashSum);
    }
  }
}
