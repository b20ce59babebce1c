package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A task that waits for a server reports progress, as stock's do while they wait: else the AM would
 * kill it after {@code mapreduce.task.timeout}, however near the server's return is. Each wait has
 * a deadline of its own.
 */
@Timeout(120)
class TaskProgressTest {
  private static final int AWAY_S = 12;
  private static final Duration MOST_SILENCE = Duration.ofSeconds(9);
  private static final Duration HANG = Duration.ofSeconds(5);
  private static final Duration LEAST_SILENCE = Duration.ofSeconds(4);
  private static final int LINES = 1000;

  @TempDir Path temporary;
  private static volatile SailfishDaemons daemons;
  private static volatile TaskType waiting;

  /** Closes the only chunkserver and has it back later. */
  private static CompletableFuture<Void> goAway() throws IOException {
    daemons.chunkservers().get(0).close();
    return CompletableFuture.runAsync(
        () -> {
          try {
            daemons.restartChunkserver(0, () -> {});
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        CompletableFuture.delayedExecutor(AWAY_S, TimeUnit.SECONDS));
  }

  /** Emits lines; what they are appended to may go away before anything was sent. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, offset);
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      if (waiting == TaskType.MAP) {
        goAway();
      }
    }
  }

  /** Does nothing for some time, as user code that hangs. */
  public static final class Hangs extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void setup(Context context) throws InterruptedException {
      new CountDownLatch(1).await(HANG.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private Job job() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      text.append("line ").append(line).append('\n');
    }
    Path input = Files.writeString(temporary.resolve("input"), text);
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    conf.set("sailfish.client.deadline", "40s");
    conf.setLong(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, 100);
    Job job = Job.getInstance(conf);
    job.setMapperClass(Lines.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(1);
    FileInputFormat.addInputPaths(job, input.toUri().toString());
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve("output").toUri().toString());
    return job;
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "REDUCE"})
  void aTaskThatWaitsForAServerReportsProgress(TaskType type) throws Exception {
    Map<String, String> settings = Map.of("sailfish.metaserver.dead.after", "60s");
    try (SailfishDaemons started = SailfishDaemons.start(temporary, 1, settings)) {
      daemons = started;
      waiting = type;
      InProcessJob.Losses run =
          InProcessJob.runWithLosses(
              job(),
              started.address(),
              temporary.resolve("work").toFile(),
              1,
              Duration.ZERO,
              () -> {
                if (type == TaskType.REDUCE) {
                  goAway();
                }
              });
      assertThat(run.reruns()).isEmpty();
      assertThat(run.silences())
          .as("longest silences while the server was away for %d s", AWAY_S)
          .hasSize(2)
          .allSatisfy((attempt, silence) -> assertThat(silence).isLessThan(MOST_SILENCE));
    }
    assertThat(OutputFiles.read(temporary.resolve("output")).toString()).contains("line 999");
  }

  /** Its job's lease is kept all the same, which says nothing of the task. */
  @Test
  void aReduceThatHangsReportsNone() throws Exception {
    Map<String, String> settings = Map.of("sailfish.metaserver.lease", "3s");
    try (SailfishDaemons started = SailfishDaemons.start(temporary, 1, settings)) {
      waiting = null;
      Job job = job();
      job.setReducerClass(Hangs.class);
      InProcessJob.Losses run =
          InProcessJob.runWithLosses(
              job,
              started.address(),
              temporary.resolve("work").toFile(),
              1,
              Duration.ZERO,
              () -> {});
      assertThat(run.silences().entrySet())
          .filteredOn(entry -> entry.getKey().getTaskType() == TaskType.REDUCE)
          .singleElement()
          .satisfies(entry -> assertThat(entry.getValue()).isGreaterThan(LEAST_SILENCE));
    }
  }
}
