package dev.sailfish.jobs.library;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainMapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainReducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * Counts the first letters of words: two mappers before the shuffle, one behind the reducer.
 * Arguments: in, out.
 */
final class ChainedWordCount implements LibraryMain.Setup {
  private static final Configuration NOTHING = new Configuration(false);
  private static final int END = 6;

  /** Keeps the beginning of a key. */
  public static final class Beginning extends Mapper<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void map(Text word, LongWritable count, Context context)
        throws IOException, InterruptedException {
      String text = word.toString();
      context.write(new Text(text.substring(0, Math.min(END, text.length()))), count);
    }
  }

  /** Writes the count before the key. */
  public static final class CountFirst extends Mapper<Text, LongWritable, LongWritable, Text> {
    @Override
    protected void map(Text word, LongWritable count, Context context)
        throws IOException, InterruptedException {
      context.write(count, word);
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    ChainMapper.addMapper(
        job,
        WordMapper.class,
        LongWritable.class,
        Text.class,
        Text.class,
        LongWritable.class,
        NOTHING);
    ChainMapper.addMapper(
        job,
        Beginning.class,
        Text.class,
        LongWritable.class,
        Text.class,
        LongWritable.class,
        NOTHING);
    ChainReducer.setReducer(
        job,
        LongSumReducer.class,
        Text.class,
        LongWritable.class,
        Text.class,
        LongWritable.class,
        NOTHING);
    ChainReducer.addMapper(
        job,
        CountFirst.class,
        Text.class,
        LongWritable.class,
        LongWritable.class,
        Text.class,
        NOTHING);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
  }
}
