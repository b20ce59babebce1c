package dev.sailfish.jobs.library;

import java.io.IOException;
import java.net.URL;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * Counts words, in tasks that have the job's own versions of libraries that Hadoop has too: a task
 * fails that finds others. In a client's own JVM, where Hadoop's come first, it does not look.
 * Arguments: in, out. Each {@code own.libraries.CLASS} says what the name of the jar of that class
 * has in it.
 */
final class OwnLibraries implements LibraryMain.Setup {
  private static final String EXPECTED = "own.libraries";

  /** Words of the lines, as counted pairs. */
  public static final class Words extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);

    @Override
    protected void setup(Context context) throws IOException {
      check(context);
    }

    @Override
    protected void map(LongWritable position, Text line, Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().split(" ")) {
        context.write(new Text(word), ONE);
      }
    }
  }

  /** Sums. */
  public static final class Sum extends LongSumReducer<Text> {
    @Override
    protected void setup(Context context) throws IOException {
      check(context);
    }
  }

  private static void check(TaskInputOutputContext<?, ?, ?, ?> context) throws IOException {
    Configuration conf = context.getConfiguration();
    if (conf.get("mapreduce.framework.name").equals("local")) {
      return;
    }
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (Map.Entry<String, String> one : conf.getValByRegex("own\\.libraries\\..*").entrySet()) {
      String name = one.getKey().substring(EXPECTED.length() + 1);
      try {
        URL jar =
            Class.forName(name, true, loader).getProtectionDomain().getCodeSource().getLocation();
        if (!jar.getPath().contains(one.getValue())) {
          throw new IOException(name + " is of " + jar + ", expected " + one.getValue());
        }
      } catch (ClassNotFoundException e) {
        throw new IOException(e);
      }
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    job.setMapperClass(Words.class);
    job.setCombinerClass(Sum.class);
    job.setReducerClass(Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
  }
}
