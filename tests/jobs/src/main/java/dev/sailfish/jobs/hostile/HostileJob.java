package dev.sailfish.jobs.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.log4j.Logger;

/**
 * A map for each line of the input, which names a {@link Harm}: it says what it finds, then does
 * that. The output counts what all tasks have found: {@code HostileJob INPUT SHARED OUTPUT}.
 */
public final class HostileJob extends Configured implements Tool {
  private static final String SHARED = "hostile.shared";

  private HostileJob() {}

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf());
    job.setJarByClass(HostileJob.class);
    job.getConfiguration().set(SHARED, arguments[1]);
    job.setInputFormatClass(NLineInputFormat.class);
    NLineInputFormat.addInputPath(job, new Path(arguments[0]));
    job.setMapperClass(ProbingMapper.class);
    job.setReducerClass(ProbingReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileOutputFormat.setOutputPath(job, new Path(arguments[2]));
    return job.waitForCompletion(false) ? 0 : 1;
  }

  /** Arguments: input, a local directory for signs, output; generic options before them. */
  public static void main(String[] arguments) throws Exception {
    Runtime.getRuntime().exit(ToolRunner.run(new HostileJob(), arguments));
  }

  /** What a task finds in its JVM, one fact a line; the same in each fresh JVM of a job. */
  static List<String> findings() throws IOException {
    List<String> found = new ArrayList<>();
    found.add("statics=" + Harm.seen());
    found.add("property=" + System.getProperty("hostile"));
    found.add("user known=" + (System.getProperty("user.name") != null));
    found.add("locale=" + Locale.getDefault());
    found.add("zone=" + TimeZone.getDefault().getID());
    found.add("files=" + hostile(""));
    found.add("temporary=" + hostile(System.getProperty("java.io.tmpdir")));
    found.add(
        "threads="
            + Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("hostile"))
                .count());
    found.add("thread=" + Thread.currentThread().getName());
    found.add("level=" + Logger.getRootLogger().getEffectiveLevel());
    found.add("logs=" + Logger.getRootLogger().getAllAppenders().hasMoreElements());
    found.add("provider=" + (Security.getProvider("Hostile") != null));
    found.add("out closed=" + System.out.checkError());
    found.add("resource=" + new Configuration().toString().contains("hostile"));
    found.add("handler=" + Thread.getDefaultUncaughtExceptionHandler().getClass().getSimpleName());
    return found;
  }

  private static long hostile(String directory) throws IOException {
    try (Stream<?> files = Files.list(Paths.get(directory)).map(file -> file.getFileName())) {
      return files.filter(name -> name.toString().startsWith("hostile")).count();
    }
  }

  /** Says what it finds, prints its attempt, does its harm. */
  public static final class ProbingMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final IntWritable one = new IntWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      System.out.println("printed by " + context.getTaskAttemptID());
      for (String found : findings()) {
        context.write(new Text("map " + found), one);
      }
      Harm.valueOf(line.toString())
          .happen(context.getTaskAttemptID(), Paths.get(context.getConfiguration().get(SHARED)));
    }
  }

  /** Sums up, and says what it finds. */
  public static final class ProbingReducer extends IntSumReducer<Text> {
    @Override
    protected void setup(Reducer<Text, IntWritable, Text, IntWritable>.Context context)
        throws IOException, InterruptedException {
      for (String found : findings()) {
        context.write(new Text("reduce " + found), new IntWritable(1));
      }
    }
  }
}
