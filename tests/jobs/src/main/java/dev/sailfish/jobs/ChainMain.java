package dev.sailfish.jobs;

import java.io.File;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.RegexMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Jobs one after the other, each of which reads what the one before has written: the words of a
 * text are counted, the lines of that are sorted, some of those are picked. Arguments: in, and one
 * to three output directories; generic options before them.
 */
public final class ChainMain extends Configured implements Tool {
  /** Milliseconds that each reduce task takes at least, spread over its records; 0 by default. */
  public static final String PACE_MS = "sailfish.test.chain.pace.ms";

  /** Reduce tasks fail while this local file is there. */
  public static final String FAIL_IF = "sailfish.test.chain.fail.if";

  private static final int RECORDS = 2_000;
  private static final List<String> PATTERNS = List.of("\\S+", ".+", "word1.*");

  private ChainMain() {}

  /** Adds up, at its pace. */
  public static final class PacedSum extends Reducer<Text, LongWritable, Text, LongWritable> {
    private Pace pace;

    @Override
    protected void setup(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      if (new File(conf.get(FAIL_IF, "/no/such/file")).exists()) {
        throw new IOException("as it is meant to");
      }
      pace = new Pace(conf.getInt(PACE_MS, 0), RECORDS);
    }

    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
      pace.step(context);
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    for (int i = 1; i < arguments.length; i++) {
      Job job = Job.getInstance(getConf(), "chain-" + i);
      job.setJarByClass(ChainMain.class);
      job.getConfiguration().set(RegexMapper.PATTERN, PATTERNS.get(i - 1));
      FileInputFormat.addInputPath(job, new Path(arguments[i - 1]));
      job.setMapperClass(RegexMapper.class);
      job.setReducerClass(PacedSum.class);
      job.setOutputKeyClass(Text.class);
      job.setOutputValueClass(LongWritable.class);
      FileOutputFormat.setOutputPath(job, new Path(arguments[i]));
      if (!job.waitForCompletion(true)) {
        return 1;
      }
    }
    return 0;
  }

  /** Runs them until one fails. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new ChainMain(), arguments));
  }
}
