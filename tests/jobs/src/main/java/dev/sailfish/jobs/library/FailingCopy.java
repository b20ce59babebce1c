package dev.sailfish.jobs.library;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/**
 * Copies lines without a shuffle; the first attempt of the first task fails at its end, when it has
 * written all. Arguments: in, out.
 */
final class FailingCopy implements LibraryMain.Setup {
  /** Writes what it reads. */
  public static final class LineMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable key, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, NullWritable.get());
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      boolean isFirst =
          context.getTaskAttemptID().getTaskID().getId() == 0
              && context.getTaskAttemptID().getId() == 0;
      if (isFirst) {
        throw new IOException("as it is meant to");
      }
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    job.setMapperClass(LineMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
  }
}
