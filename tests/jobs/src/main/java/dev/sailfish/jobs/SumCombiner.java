package dev.sailfish.jobs;

import java.io.IOException;
import java.util.Iterator;
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
    sum.set(sum(values.iterator()));
    context.write(key, sum);
  }

  static long sum(Iterator<LongWritable> values) {
    long total = 0;
    while (values.hasNext()) {
      total += values.next().get();
    }
    return total;
  }
}
