package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the {@link Digest} of its partition. */
public final class DigestReducer extends Reducer<Object, Object, NullWritable, Text> {
  private Digest digest;

  /** For Hadoop's reflection. */
  public DigestReducer() {}

  @Override
  protected void setup(Context context) throws IOException {
    digest =
        new Digest(
            new JobConf(context.getConfiguration()), new ContextCollector<>(context), context);
  }

  @Override
  protected void reduce(Object key, Iterable<Object> values, Context context)
      throws IOException, InterruptedException {
    for (Object value : values) {
      // Within a group the new API's key changes with the value.
      if (!digest.take(context.getCurrentKey(), value)) {
        break;
      }
    }
    digest.endGroup();
  }
}
