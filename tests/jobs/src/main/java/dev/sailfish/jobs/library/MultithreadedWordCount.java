package dev.sailfish.jobs.library;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Counts words in map tasks of several threads, without a combiner. Arguments: in, out. */
public final class MultithreadedWordCount extends Configured implements Tool {
  private static final int THREADS = 4;

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), "multithreaded word count");
    job.setJarByClass(MultithreadedWordCount.class);
    job.setMapperClass(MultithreadedMapper.class);
    MultithreadedMapper.setMapperClass(job, WordMapper.class);
    MultithreadedMapper.setNumberOfThreads(job, THREADS);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new MultithreadedWordCount(), arguments));
  }
}
