package dev.sailfish.jobs;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** {@link SumCombiner} of the old API. */
public final class OldSumCombiner extends MapReduceBase
    implements Reducer<Object, LongWritable, Object, LongWritable> {
  private final LongWritable sum = new LongWritable();

  /** For Hadoop's reflection. */
  public OldSumCombiner() {}

  @Override
  public void reduce(
      Object key,
      Iterator<LongWritable> values,
      OutputCollector<Object, LongWritable> output,
      Reporter reporter)
      throws IOException {
    sum.set(SumCombiner.sum(values));
    output.collect(key, sum);
  }
}
