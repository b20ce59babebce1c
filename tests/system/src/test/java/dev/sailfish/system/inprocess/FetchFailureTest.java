package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chaos.BitFlip;
import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.SegmentFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The AM counts each map attempt that it runs again as a failure of the map, of which it takes four
 * until the job fails: so what is lost at one time must cost a map one of them, and reducers must
 * not report more than the AM needs.
 */
@Timeout(180)
class FetchFailureTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int MAPS = 3;
  private static final int REDUCES = 5;
  private static final int LINES = 2000;

  /** What the AM wants to hear of a loss while six or fewer reducers shuffle. */
  private static final int NOTIFICATIONS = MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS;

  @TempDir Path temporary;

  private final Set<Long> damaged = new HashSet<>();

  /** Lines as keys. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, offset);
    }
  }

  private Job job() throws IOException {
    Path input = Files.createDirectories(temporary.resolve("input"));
    for (int map = 0; map < MAPS; map++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < LINES; line++) {
        text.append("line ").append(map).append(' ').append(line).append('\n');
      }
      Files.writeString(input.resolve("file" + map), text);
    }
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    conf.set("sailfish.client.deadline", "20s");
    Job job = Job.getInstance(conf);
    job.setMapperClass(Lines.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(REDUCES);
    FileInputFormat.addInputPaths(job, input.toUri().toString());
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve("output").toUri().toString());
    return job;
  }

  private int linesOfOutput() throws IOException {
    int lines = 0;
    for (String content : OutputFiles.read(temporary.resolve("output")).values()) {
      lines += (int) content.lines().count();
    }
    return lines;
  }

  /** Flips a bit in the first block of every chunk once, behind the server's back. */
  private void damageAll(SailfishDaemons daemons) throws IOException {
    Chunkserver server = daemons.chunkservers().get(0);
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
    try (ChunkserverClient client =
        ChunkserverClient.connect(address, "test", daemons.cluster(), DEADLINE)) {
      for (ChunkReport chunk : client.listChunks("").getChunksList()) {
        if (damaged.add(chunk.getChunk())) {
          long offset =
              client.awaitSorted(chunk.getJob(), chunk.getChunk(), 10_000, DEADLINE).entryOffset(0);
          BitFlip.at(SegmentFiles.inMemory(chunk, temporary), offset + 100, 0);
        }
      }
    }
  }

  /** Each reducer finds its own partition damaged, one reducer after the other. */
  @Test
  void damageInAllPartitionsShouldCostAMapOneFailure() throws Exception {
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      InProcessJob.Losses losses =
          InProcessJob.runWithLosses(
              job(),
              daemons.address(),
              temporary.resolve("work").toFile(),
              1,
              Duration.ZERO,
              () -> damageAll(daemons));
      assertThat(losses.reruns())
          .as("map attempts that ran again")
          .hasSize(MAPS)
          .extracting(TaskAttemptID::getId)
          .containsOnly(0);
    }
    assertThat(linesOfOutput()).isEqualTo(MAPS * LINES);
  }

  /** The AM may charge nobody for what it runs again. */
  @Test
  void whatIsDamagedEachTimeItIsWrittenEndsTheJob() throws Exception {
    Job job = job();
    job.getConfiguration().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      assertThatThrownBy(
              () ->
                  InProcessJob.runWithLossesForEver(
                      job,
                      daemons.address(),
                      temporary.resolve("work").toFile(),
                      () -> damageAll(daemons)))
          .hasMessageContaining("the same map was lost 2 times, and mapreduce.map.maxattempts=1");
    }
  }

  /** The AM may be busy: that is no reason to tell it again and again. */
  @Test
  void aLossShouldBeReportedNoMoreOftenThanTheAmNeeds() throws Exception {
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      InProcessJob.Losses losses =
          InProcessJob.runWithLosses(
              job(),
              daemons.address(),
              temporary.resolve("work").toFile(),
              REDUCES,
              Duration.ofSeconds(4),
              () -> damageAll(daemons));
      assertThat(losses.reports()).isNotEmpty();
      assertThat(losses.reports().values())
          .as("reports of %s", losses.reports())
          .allMatch(times -> times <= NOTIFICATIONS);
      assertThat(losses.reruns())
          .as("map attempts that ran again")
          .hasSize(MAPS)
          .extracting(TaskAttemptID::getId)
          .containsOnly(0);
    }
    assertThat(linesOfOutput()).isEqualTo(MAPS * LINES);
  }
}
