package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** {@link RandomMapper} of the old API. */
public final class OldRandomMapper extends MapReduceBase
    implements Mapper<IntWritable, NullWritable, Object, Object> {
  private JobConf conf;

  /** For Hadoop's reflection. */
  public OldRandomMapper() {}

  @Override
  public void configure(JobConf job) {
    conf = job;
  }

  @Override
  public void map(
      IntWritable map,
      NullWritable nothing,
      OutputCollector<Object, Object> output,
      Reporter reporter)
      throws IOException {
    RandomMapper.emit(conf, map.get(), output, reporter);
  }
}
