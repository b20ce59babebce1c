package dev.sailfish.jobs.library;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Runs one of these jobs. Arguments: its name, what it reads, its output directory. */
public final class LibraryMain extends Configured implements Tool {
  /** Makes a job what it is. */
  interface Setup {
    /**
     * Sets it up.
     *
     * @param arguments those of the program behind the job's name
     */
    void configure(Job job, String[] arguments) throws IOException;
  }

  private static final Map<String, Setup> JOBS =
      Map.of(
          "multithreaded", new MultithreadedWordCount(),
          "chained", new ChainedWordCount(),
          "several-paths", new SeveralPaths(),
          "avro", new AvroWordCount(),
          "own-libraries", new OwnLibraries(),
          "failing", new FailingCopy(),
          "unreadable-line", new UnreadableLine());

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), arguments[0]);
    job.setJarByClass(LibraryMain.class);
    JOBS.get(arguments[0]).configure(job, Arrays.copyOfRange(arguments, 1, arguments.length));
    FileOutputFormat.setOutputPath(job, new Path(arguments[arguments.length - 1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new LibraryMain(), arguments));
  }
}
