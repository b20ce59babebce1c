package dev.sailfish.jobs.library;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** Sorts lines; a line that begins with {@code #} is one that its mapper cannot read. */
final class UnreadableLine implements LibraryMain.Setup {
  /** Throws at such a line, in each attempt. */
  public static final class LineMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      if (line.getLength() > 0 && line.charAt(0) == '#') {
        throw new IOException("cannot read the line at byte " + key + ": " + line);
      }
      context.write(line, NullWritable.get());
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    job.setMapperClass(LineMapper.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
  }
}
