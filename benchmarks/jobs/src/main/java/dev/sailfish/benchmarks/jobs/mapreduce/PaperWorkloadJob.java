package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.LineSource;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * One of the paper's seven jobs over generated lines. Exit code 0 only if its result is right: all
 * lines were read; what reduces saw is what maps emitted, and adds up to what the generator says of
 * its groups; keys came in order and into their partitions; and the result has as many records as
 * follow from the input.
 */
public final class PaperWorkloadJob extends Configured implements Tool {
  @Override
  public int run(String[] arguments) throws Exception {
    if (arguments.length != 3) {
      System.err.println("usage: PaperWorkloadJob JOB SCALE SEED");
      return 2;
    }
    PaperJob kind = PaperJob.valueOf(arguments[0]);
    double scale = Double.parseDouble(arguments[1]);
    Job job = job(getConf(), kind, scale, Long.parseLong(arguments[2]));
    return job.waitForCompletion(true) && isRight(job) ? 0 : 1;
  }

  /** The job, not yet submitted. */
  static Job job(Configuration configuration, PaperJob kind, double scale, long seed)
      throws IOException {
    LineInputFormat.setInput(configuration, kind, scale, seed);
    configuration.setInt(HeavyPartitioner.HEAVY, kind.heavyPartitions());
    KeyCheck.setPartitions(configuration, kind.reduces());
    Job job = Job.getInstance(configuration, kind.title());
    job.setJarByClass(PaperWorkloadJob.class);
    job.setInputFormatClass(LineInputFormat.class);
    job.setPartitionerClass(HeavyPartitioner.class);
    job.setNumReduceTasks(kind.reduces());
    job.setMapOutputKeyClass(Text.class);
    job.setOutputFormatClass(NullOutputFormat.class);
    setTasks(job, kind);
    return job;
  }

  private static void setTasks(Job job, PaperJob kind) {
    job.setMapOutputValueClass(Text.class);
    switch (kind) {
      case LOG_COUNT -> {
        setTasks(job, PageCount.Visits.class, PageCount.Counts.class);
        job.setCombinerClass(LongSumReducer.class);
        job.setMapOutputValueClass(LongWritable.class);
      }
      case LOG_PROC, LOG_READ -> setTasks(job, UserVisits.Visits.class, UserVisits.Groups.class);
      case NDAY_MODEL -> setTasks(job, ModelJoin.Models.class, ModelJoin.Join.class);
      case BEHAVIOR_MODEL ->
          setTasks(job, BehaviorGroups.Events.class, BehaviorGroups.Models.class);
      case CLICK_ATTRIBUTION ->
          setTasks(job, ClickFilter.Ads.class, ClickFilter.Attributions.class);
      case SEGMENT_EXPLODER ->
          setTasks(job, SegmentClicks.Places.class, SegmentClicks.Segments.class);
    }
  }

  private static <V extends Writable> void setTasks(
      Job job, Class<? extends LineMapper<V>> mapper, Class<? extends GroupReducer<V>> reducer) {
    job.setMapperClass(mapper);
    job.setReducerClass(reducer);
  }

  /** Whether a job that has ended counted what it must; says on the error stream what not. */
  static boolean isRight(Job job) throws IOException {
    LineSource source = LineInputFormat.source(job.getConfiguration());
    return new Verdict(job.getCounters())
        .equal("lines read", source.records(), Check.GENERATED_RECORDS)
        .equal("records reduced", Check.MAP_RECORDS, Check.REDUCE_RECORDS)
        .equal("sum of hashes", Check.MAP_HASH_SUM, Check.REDUCE_HASH_SUM)
        .equal("sum over the groups", Check.GENERATED_HASH_SUM, Check.GROUPED_HASH_SUM)
        .equal("records of the result", source.results(), Check.RESULT_RECORDS)
        .keysWereInPlace()
        .isRight();
  }

  /** Runs the job: JOB, a name of {@link PaperJob}; SCALE; SEED. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new PaperWorkloadJob(), arguments));
  }
}
