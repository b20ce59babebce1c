package dev.sailfish.jobs.library;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** Counts words in map tasks of several threads, without a combiner. Arguments: in, out. */
final class MultithreadedWordCount implements LibraryMain.Setup {
  private static final int THREADS = 4;

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    job.setMapperClass(MultithreadedMapper.class);
    MultithreadedMapper.setMapperClass(job, WordMapper.class);
    MultithreadedMapper.setNumberOfThreads(job, THREADS);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
  }
}
