package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job lives as long as a task of it runs, also one that computes and calls nothing of ours. */
@Timeout(240)
class LeaseTest {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration QUIET = LEASE.multipliedBy(2);
  private static final int LINES = 100;

  @TempDir static Path temporary;
  private static volatile SailfishDaemons daemons;
  private static final AtomicBoolean MAP_WAS_QUIET = new AtomicBoolean();
  private static final AtomicBoolean REDUCE_WAS_QUIET = new AtomicBoolean();

  /** Computes for two leases, and sees that the job is there all the time. */
  private static void beQuiet() throws IOException {
    try (MetaserverClient client = daemons.client()) {
      await("the job is not deleted")
          .during(QUIET)
          .atMost(QUIET.plusSeconds(30))
          .until(() -> client.listJobs().getJobsCount() == 1);
    }
  }

  /** Is quiet behind its first record. */
  public static final class SlowMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, offset);
      if (MAP_WAS_QUIET.compareAndSet(false, true)) {
        daemons.stopResourceManager();
        beQuiet();
      }
    }
  }

  /** Is quiet at its first record, and again when all were read. */
  public static final class SlowReducer extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text line, Iterable<LongWritable> offsets, Context context)
        throws IOException, InterruptedException {
      if (REDUCE_WAS_QUIET.compareAndSet(false, true)) {
        beQuiet();
      }
      for (LongWritable offset : offsets) {
        context.write(line, offset);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      beQuiet();
    }
  }

  private static Job job() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      text.append("line ").append(line).append('\n');
    }
    Path input = Files.writeString(temporary.resolve("input"), text);
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    Job job = Job.getInstance(conf);
    job.setMapperClass(SlowMapper.class);
    job.setReducerClass(SlowReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(1);
    FileInputFormat.addInputPaths(job, input.toUri().toString());
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve("output").toUri().toString());
    return job;
  }

  @Test
  void aTaskThatComputesKeepsItsJobAliveAndNobodyDoesWhenItHasEnded() throws Exception {
    String lease = LEASE.toMillis() + "ms";
    try (SailfishDaemons started =
            SailfishDaemons.start(temporary, 1, Map.of("sailfish.metaserver.lease", lease));
        MetaserverClient client = started.client()) {
      daemons = started;
      InProcessJob.run(
          job(),
          started.address(),
          1,
          temporary.resolve("work").toFile(),
          InProcessJob.Timing.PLAIN,
          1);
      assertThat(MAP_WAS_QUIET).isTrue();
      assertThat(REDUCE_WAS_QUIET).isTrue();
      await().atMost(Duration.ofSeconds(60)).until(() -> client.listJobs().getJobsCount() == 0);
    }
    assertThat(OutputFiles.read(temporary.resolve("output")).toString()).contains("line 99");
  }
}
