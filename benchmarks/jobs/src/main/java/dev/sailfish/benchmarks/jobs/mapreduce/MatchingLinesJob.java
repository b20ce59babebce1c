package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.IOException;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Writes the lines of a text in which a pattern is found, as grep does; without reduce tasks. */
public final class MatchingLinesJob extends Configured implements Tool {
  private static final String PATTERN = "sailfish.bench.pattern";

  /** Keeps a line or does not. */
  public static final class LineMapper extends Mapper<LongWritable, Text, NullWritable, Text> {
    private Pattern pattern;

    @Override
    protected void setup(Context context) {
      pattern = Pattern.compile(context.getConfiguration().get(PATTERN));
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (pattern.matcher(line.toString()).find()) {
        context.write(NullWritable.get(), line);
      }
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    if (arguments.length != 3) {
      System.err.println("usage: MatchingLinesJob INPUT OUTPUT PATTERN");
      return 2;
    }
    getConf().set(PATTERN, arguments[2]);
    Job job = Job.getInstance(getConf(), "matching lines");
    job.setJarByClass(MatchingLinesJob.class);
    job.setMapperClass(LineMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(NullWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Runs the job: INPUT OUTPUT PATTERN. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new MatchingLinesJob(), arguments));
  }
}
