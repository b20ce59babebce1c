package dev.sailfish.jobs.library;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * Counts words of text and keys of pairs, each read in its own way, into files of their own.
 * Arguments: text, pairs, out.
 */
final class SeveralPaths implements LibraryMain.Setup {
  private static final String WORDS = "words";
  private static final String KEYS = "keys";

  /** Emits the key of a pair. */
  public static final class KeyMapper extends Mapper<Text, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);

    @Override
    protected void map(Text key, Text value, Context context)
        throws IOException, InterruptedException {
      context.write(key, ONE);
    }
  }

  /** Sums counts, into the file of their kind and into the job's own. */
  public static final class Sum extends Reducer<Text, LongWritable, Text, LongWritable> {
    private MultipleOutputs<Text, LongWritable> outputs;

    @Override
    protected void setup(Context context) {
      outputs = new MultipleOutputs<>(context);
    }

    @Override
    protected void reduce(Text key, Iterable<LongWritable> counts, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable count : counts) {
        sum += count.get();
      }
      LongWritable total = new LongWritable(sum);
      outputs.write(key.charAt(0) == 'k' ? KEYS : WORDS, key, total);
      if (sum > 1) {
        context.write(key, total);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      outputs.close();
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    MultipleInputs.addInputPath(
        job, new Path(arguments[0]), TextInputFormat.class, WordMapper.class);
    MultipleInputs.addInputPath(
        job, new Path(arguments[1]), KeyValueTextInputFormat.class, KeyMapper.class);
    job.setReducerClass(Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    for (String name : new String[] {WORDS, KEYS}) {
      MultipleOutputs.addNamedOutput(
          job, name, TextOutputFormat.class, Text.class, LongWritable.class);
    }
  }
}
