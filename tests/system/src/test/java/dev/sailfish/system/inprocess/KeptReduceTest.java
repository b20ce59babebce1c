package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.hadoop.am.rerun.OutputComparison;
import dev.sailfish.hadoop.am.rerun.ReduceRerun;
import dev.sailfish.hadoop.am.rerun.RerunOrder;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.inprocess.InProcessJob.Timing;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reduce tasks of jobs that have ended, run again from what is kept. */
class KeptReduceTest {
  private static final String JOB = "job_1700000000000_0001";
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private SailfishDaemons daemons;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void startDaemons() throws IOException {
    daemons = SailfishDaemons.start(directory, 2, Map.of());
  }

  @AfterEach
  void stopDaemons() throws IOException {
    daemons.close();
  }

  /** Runs a random job that has losing attempts too and keeps its I-files, and ends it. */
  private RandomJobSpec runAndEnd(boolean encrypted) throws Exception {
    return runAndEnd(
        job -> ((JobConf) job.getConfiguration()).setBoolean("sailfish.encrypt.at.rest", encrypted),
        (job, random) ->
            InProcessJob.run(
                job,
                daemons.address(),
                1,
                directory.resolve("work").toFile(),
                new Timing(2, false, 0.5),
                random.nextLong()));
  }

  /** Runs a configured job. */
  private interface Run {
    void of(Job job, SplittableRandom random) throws Exception;
  }

  private RandomJobSpec runAndEnd(Consumer<Job> more, Run run) throws Exception {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("KeptReduceTest seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    RandomJobSpec spec;
    do {
      spec = RandomJobSpec.ofSeed(random.nextLong());
    } while (spec.reduces() < 2 || spec.recordsPerMap() == 0 || spec.maps() < 2);
    Job job = Job.getInstance(new JobConf());
    spec.configure(job);
    JobConf conf = (JobConf) job.getConfiguration();
    conf.set(FileOutputFormat.OUTDIR, directory.resolve("out").toUri().toString());
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set("sailfish.keep.ifiles", "1h");
    more.accept(job);
    run.of(job, random);
    try (OutputStream out = Files.newOutputStream(directory.resolve("job.xml"))) {
      conf.writeXml(out);
    }
    try (MetaserverClient metaserver = daemons.client()) {
      metaserver.deleteJob(JOB);
    }
    return spec;
  }

  private OutputComparison rerun(int task, String... more) throws Exception {
    Properties order = new Properties();
    try (MetaserverClient metaserver = daemons.client()) {
      DescribeJobResponse kept =
          metaserver.describeJob(
              DescribeJobRequest.newBuilder()
                  .setJob(JOB)
                  .setPartition(-1)
                  .setWinners(true)
                  .build());
      assertThat(kept.getSummary().getKept()).isTrue();
      order.setProperty(
          "winners",
          kept.getWinnersList().stream().map(String::valueOf).collect(Collectors.joining(" ")));
      order.setProperty("key", HexFormat.of().formatHex(metaserver.accessKey(JOB)));
    }
    order.setProperty("job", JOB);
    order.setProperty("task", Integer.toString(task));
    order.setProperty("staging", directory.toUri().toString());
    for (int i = 0; i < more.length; i += 2) {
      order.setProperty(more[i], more[i + 1]);
    }
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return new ReduceRerun(RerunOrder.of(order), out).run(new JobConf());
  }

  private void assertNothingIsLeftAfterDrop() throws IOException {
    try (MetaserverClient metaserver = daemons.client()) {
      metaserver.dropKept(JOB);
      assertThat(metaserver.listJobs().getJobsList()).isEmpty();
    }
    String sorted = ChunkserverMetric.CHUNKS_SORTED.fullName();
    for (Chunkserver chunkserver : daemons.chunkservers()) {
      await()
          .atMost(DEADLINE)
          .untilAsserted(() -> assertThat(chunkserver.metrics()).containsEntry(sorted, 0L));
    }
  }

  @Test
  void eachTaskGivesTheSameBytesAgain() throws Exception {
    RandomJobSpec spec = runAndEnd(false);
    SortedMap<String, String> original = OutputFiles.read(directory.resolve("out"));
    for (int task = 0; task < spec.reduces(); task++) {
      OutputComparison comparison = rerun(task);
      assertThat(comparison.different()).as("%s", spec).isEmpty();
      assertThat(comparison.missing()).as("%s", spec).isEmpty();
      assertThat(comparison.same()).as("%s", spec).isPositive();
      assertThat(OutputFiles.read(directory.resolve("out-reduce-task-" + task)))
          .as("%s", spec)
          .isNotEmpty()
          .allSatisfy((name, text) -> assertThat(text).isEqualTo(original.get(name)));
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("with the same bytes as in");
    assertThatThrownBy(() -> rerun(0)).hasMessageContaining("is there already");
    assertThatThrownBy(() -> rerun(spec.reduces()))
        .hasMessageContaining("has no reduce task " + spec.reduces());
    assertNothingIsLeftAfterDrop();
  }

  @Test
  void encryptedJobsAreReadWithTheKeyThatIsKeptToo() throws Exception {
    runAndEnd(true);
    assertThat(rerun(1, "output", directory.resolve("again").toString()).different()).isEmpty();
    assertThat(directory.resolve("again")).isNotEmptyDirectory();
    assertNothingIsLeftAfterDrop();
  }

  @Test
  void aTaskOfAPlanHasItsWork() throws Exception {
    AtomicReference<ReducePlan> plan = new AtomicReference<>();
    runAndEnd(
        job -> job.getConfiguration().setBoolean(RandomJobSpec.SEVERAL_PARTITIONS, true),
        (job, random) ->
            InProcessJob.runPlanned(
                job,
                daemons.address(),
                1,
                directory.resolve("work").toFile(),
                Timing.PLAIN,
                random.nextLong(),
                (conf, id, winners) -> {
                  plan.set(PlannedJobTest.plan(daemons, conf, id, winners, random));
                  return plan.get();
                }));
    String table = PlanText.table(plan.get());
    assertThatThrownBy(() -> rerun(0))
        .as(table)
        .hasMessageContaining("no copy was kept")
        .hasMessageContaining("--staging DIR");
    Files.write(directory.resolve("sailfish-reduce-plan"), PlanCodec.encode(plan.get()));
    for (int task = 0; task < plan.get().works().size(); task++) {
      OutputComparison comparison = rerun(task);
      assertThat(comparison.different()).as(table).isEmpty();
      assertThat(comparison.same()).as(table).isPositive();
    }
  }

  @Test
  void aDifferenceIsSaid() throws Exception {
    runAndEnd(false);
    String part = OutputFiles.read(directory.resolve("out")).firstKey();
    Files.writeString(directory.resolve("out").resolve(part), "other");
    Files.delete(directory.resolve("out").resolve("." + part + ".crc"));
    assertThat(rerun(0).different())
        .singleElement()
        .asString()
        .contains(part + " differs from ", " from byte ");
  }
}
