package dev.sailfish.jobs.library;

import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits each word of a line, with one. */
public final class WordMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private static final LongWritable ONE = new LongWritable(1);

  @Override
  protected void map(LongWritable position, Text line, Context context)
      throws IOException, InterruptedException {
    StringTokenizer words = new StringTokenizer(line.toString());
    while (words.hasMoreTokens()) {
      context.write(new Text(words.nextToken()), ONE);
    }
  }
}
