package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** What the stock shuffle makes of a random job. */
public final class StockOutput {
  /** What a map sorts in: more than the largest record of a random job, and soon allocated. */
  public static final int SORT_MB = 32;

  private StockOutput() {}

  /**
   * Runs the job in this JVM, without YARN.
   *
   * @param directory gets the output and what Hadoop writes meanwhile; made if it does not exist
   * @return contents by file name
   */
  public static SortedMap<String, String> of(RandomJobSpec spec, Path directory) throws Exception {
    Files.createDirectories(directory);
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", directory.resolve("stock-tmp").toString());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    conf.setInt(MRJobConfig.IO_SORT_MB, SORT_MB);
    Job job = Job.getInstance(conf);
    spec.configure(job);
    job.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    Path output = directory.resolve("stock");
    job.getConfiguration().set(FileOutputFormat.OUTDIR, output.toUri().toString());
    assertThat(job.waitForCompletion(false)).as("stock ran %s", spec).isTrue();
    return OutputFiles.read(output);
  }
}
