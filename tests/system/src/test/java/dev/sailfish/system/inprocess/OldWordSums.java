package dev.sailfish.system.inprocess;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** The combiner of {@link UserObjectsTest} with the old API. */
public final class OldWordSums extends MapReduceBase
    implements Reducer<Text, IntWritable, Object, Object> {
  private UserObjectsTest.Fault fault;

  /** For Hadoop. */
  public OldWordSums() {}

  @Override
  public void configure(JobConf conf) {
    fault = UserObjectsTest.Fault.of(conf);
  }

  @Override
  public void reduce(
      Text word,
      Iterator<IntWritable> counts,
      OutputCollector<Object, Object> output,
      Reporter reporter)
      throws IOException {
    output.collect(fault.key(word), fault.value(UserObjectsTest.sum(counts)));
  }
}
