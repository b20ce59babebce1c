package dev.sailfish.jobs;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Runs one random job on the configured cluster: {@code RandomJobMain SEED OUTPUT}. */
public final class RandomJobMain extends Configured implements Tool {
  private RandomJobMain() {}

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf());
    RandomJobSpec.ofSeed(Long.parseLong(arguments[0])).configure(job);
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(false) ? 0 : 1;
  }

  /** Arguments: seed, output directory; generic options before them. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new RandomJobMain(), arguments));
  }
}
