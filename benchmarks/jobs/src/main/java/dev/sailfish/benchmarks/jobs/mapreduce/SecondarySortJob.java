package dev.sailfish.benchmarks.jobs.mapreduce;

import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A secondary sort over text: for each word, the lengths of the lines it stands in, ascending, each
 * with the number of occurrences and the lowest and highest position of such a line in its file.
 *
 * <p>Lengths come sorted from the shuffle, which is what the job is about; a reduce fails when they
 * do not. The order of occurrences with equal word and length does not show in the output, because
 * stock Hadoop promises none.
 */
public final class SecondarySortJob extends Configured implements Tool {

  /** Emits each word of a line with the line's length and position. */
  public static final class WordMapper
      extends Mapper<LongWritable, Text, WordLengthKey, LongWritable> {
    private final WordLengthKey key = new WordLengthKey();

    @Override
    protected void map(LongWritable position, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString().toLowerCase(Locale.ROOT);
      int start = -1;
      for (int i = 0; i <= text.length(); i++) {
        boolean letter = i < text.length() && Character.isLetter(text.charAt(i));
        if (letter && start < 0) {
          start = i;
        } else if (!letter && start >= 0) {
          key.set(text.substring(start, i), line.getLength());
          context.write(key, position);
          start = -1;
        }
      }
    }
  }

  /** Writes one line per word. */
  public static final class LengthReducer extends Reducer<WordLengthKey, LongWritable, Text, Text> {
    private final StringBuilder lengths = new StringBuilder();
    private final Text output = new Text();
    private int length;
    private long count;
    private long lowest;
    private long highest;

    @Override
    protected void reduce(WordLengthKey key, Iterable<LongWritable> positions, Context context)
        throws IOException, InterruptedException {
      lengths.setLength(0);
      count = 0;
      for (LongWritable position : positions) { // each step also moves the key on
        if (count > 0 && key.lineLength() < length) {
          throw new IOException(
              "lengths out of order: word="
                  + key.word()
                  + " length="
                  + key.lineLength()
                  + " previous="
                  + length);
        }
        if (count > 0 && key.lineLength() > length) {
          appendLength();
        }
        add(key.lineLength(), position.get());
      }
      appendLength();
      output.set(lengths.toString());
      context.write(key.word(), output);
    }

    private void add(int lineLength, long position) {
      lowest = count == 0 ? position : Math.min(lowest, position);
      highest = count == 0 ? position : Math.max(highest, position);
      length = lineLength;
      count++;
    }

    private void appendLength() {
      lengths.append(lengths.length() == 0 ? "" : " ");
      lengths
          .append(length)
          .append(':')
          .append(count)
          .append(':')
          .append(lowest)
          .append('-')
          .append(highest);
      count = 0;
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    if (arguments.length != 2) {
      System.err.println("usage: SecondarySortJob INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "secondary sort");
    job.setJarByClass(SecondarySortJob.class);
    job.setMapperClass(WordMapper.class);
    job.setReducerClass(LengthReducer.class);
    job.setPartitionerClass(WordLengthKey.ByWord.class);
    job.setSortComparatorClass(WordLengthKey.SortOrder.class);
    job.setGroupingComparatorClass(WordLengthKey.Grouping.class);
    job.setMapOutputKeyClass(WordLengthKey.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Runs the job: INPUT OUTPUT. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new SecondarySortJob(), arguments));
  }
}
