package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.mapreduce.Reducer;

/** Sums the values of a key. */
public final class SumCombiner extends Reducer<Object, LongWritable, Object, LongWritable> {
  private final LongWritable sum = new LongWritable();

  /** For Hadoop's reflection. */
  public SumCombiner() {}

  @Override
  protected void reduce(Object key, Iterable<LongWritable> values, Context context)
      throws IOException, InterruptedException {
    long total = 0;
    for (LongWritable value : values) {
      total += value.get();
    }
    sum.set(total);
    context.write(key, sum);
  }
}
