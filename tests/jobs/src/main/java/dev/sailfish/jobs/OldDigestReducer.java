package dev.sailfish.jobs;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** {@link DigestReducer} of the old API, whose key is the first one of the group throughout. */
public final class OldDigestReducer extends MapReduceBase
    implements Reducer<Object, Object, NullWritable, Text> {
  private JobConf conf;
  private Digest digest;

  /** For Hadoop's reflection. */
  public OldDigestReducer() {}

  @Override
  public void configure(JobConf job) {
    conf = job;
  }

  @Override
  public void reduce(
      Object key,
      Iterator<Object> values,
      OutputCollector<NullWritable, Text> output,
      Reporter reporter)
      throws IOException {
    if (digest == null) {
      digest = new Digest(conf, output, reporter);
    }
    boolean more = true;
    while (more && values.hasNext()) {
      more = digest.take(key, values.next());
    }
    digest.endGroup();
  }
}
