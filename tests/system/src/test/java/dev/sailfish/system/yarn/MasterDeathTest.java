package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.jobs.KeyKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.StockOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * SIGKILL of Sailfish's ApplicationMaster: its next attempt goes on with what is done, and with the
 * plan if a reduce task of it is. What is done is what the history says, and by the history it is
 * not done again.
 */
class MasterDeathTest extends YarnTest {
  private static final String MASTER = "dev.sailfish.hadoop.am.SailfishAppMaster";
  private static final int MAPS = 10;

  /**
   * How many of them the history may not have yet: a local file system holds back what does not
   * fill 512 bytes, of which it makes a checksum.
   */
  private static final int LATE = 1;

  private static final int PIECES = 6;
  private static final int PIECES_AT_ONCE = 2;

  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final String OLD_PLAN =
      "The plan of an earlier attempt of the ApplicationMaster counts";

  @Test
  @Tag("long")
  void atThirtyPercentOfTheMaps() throws Exception {
    shouldGoOn("at-30", auto("0"), () -> done(TaskType.MAP) >= 3);
  }

  @Test
  @Tag("long")
  void atNinetyPercentOfTheMapsWithTheJobsOwnReducers() throws Exception {
    List<String> fixed = new ArrayList<>(List.of("--reduce-work", "fixed"));
    shouldGoOn("at-90", fixed, () -> done(TaskType.MAP) >= 9);
  }

  @Test
  @Tag("long")
  void betweenThePlanAndTheFirstReducer() throws Exception {
    JobHistory stored = shouldGoOn("planned", auto("16k"), MasterDeathTest::isPlanned);
    assertThat(stored.done(TaskType.MAP)).isGreaterThanOrEqualTo(MAPS - LATE);
    assertThat(stored.done(TaskType.REDUCE)).isZero();
  }

  /** When the first of three waves of reduce tasks is done, and the next is reading. */
  @Test
  void inTheMiddleOfReduce() throws Exception {
    List<String> settings = auto("1k");
    settings.add("-Dsailfish.reduce.work.most=" + PIECES);
    settings.add("-Dmapreduce.job.running.reduce.limit=" + PIECES_AT_ONCE);
    settings.add("-D" + RandomJobSpec.REDUCE_MS + "=8000");
    String planned = " -> " + PIECES + " reduce tasks";
    int before = logged(planned);
    JobHistory stored = shouldGoOn("reducing", settings, () -> done(TaskType.REDUCE) > 0);
    assertThat(logged(planned)).as("plans with%s", planned).isGreaterThan(before);
    assertThat(stored.done(TaskType.MAP)).isEqualTo(MAPS);
    assertThat(stored.done(TaskType.REDUCE)).isPositive();
  }

  private static List<String> auto(String target) {
    return new ArrayList<>(
        List.of(
            "--reduce-work",
            "auto",
            "-Dsailfish.reduce.work.target=" + target,
            "-D" + RandomJobSpec.SEVERAL_PARTITIONS + "=true"));
  }

  /**
   * Kills the ApplicationMaster once in a job.
   *
   * @return what the history had when it died
   */
  private static JobHistory shouldGoOn(String name, List<String> settings, Callable<Boolean> moment)
      throws Exception {
    RandomJobSpec spec = someJob();
    Path output = temporary.resolve(name);
    int oldPlans = logged(OLD_PLAN);
    settings.add("-D" + RandomJobSpec.MAP_MS + "=8000");
    CompletableFuture<String> run = start(spec, output, settings);
    await().atMost(PATIENCE).pollInterval(LOOK).until(() -> run.isDone() || moment.call());
    List<ProcessHandle> masters = masters();
    assertThat(masters).as("masters of the running job: %s", run).hasSize(1);
    assertThat(masters.get(0).destroyForcibly()).isTrue();
    await().atMost(PATIENCE).until(() -> !masters.get(0).isAlive());
    JobHistory stored = JobHistory.ofRunning(home()).orElseThrow();
    assertThat(stored.attempts()).as("tasks that are done in %s", stored.file()).isNotEmpty();
    int plan = isPlanned() && stored.done(TaskType.REDUCE) > 0 ? 1 : 0;
    run.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

    assertThat(String.join("", OutputFiles.read(output).values()))
        .as("%s", spec)
        .isEqualTo(
            String.join("", StockOutput.of(spec, temporary.resolve(name + "-stock")).values()));
    await().atMost(PATIENCE).until(() -> JobHistory.ofEnded(home(), stored.job()).isPresent());
    JobHistory ended = JobHistory.ofEnded(home(), stored.job()).orElseThrow();
    assertThat(ended.done(TaskType.MAP)).isEqualTo(MAPS);
    assertThat(logged(OLD_PLAN)).as("plans that counted again").isEqualTo(oldPlans + plan);
    assertThat(ended.masters()).as("attempts of the ApplicationMaster").isEqualTo(2);
    stored
        .attempts()
        .forEach(
            (task, before) -> {
              Set<TaskAttemptID> attempts = ended.attempts().get(task);
              assertThat(attempts).as("attempts of %s, done before", task).isEqualTo(before);
            });
    return stored;
  }

  private static CompletableFuture<String> start(
      RandomJobSpec spec, Path output, List<String> settings) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return new YarnRandomJobs(cluster, temporary).run(spec.seed(), output, settings);
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        });
  }

  /** One whose partitions can be split, and whose reducers read every record: always the same. */
  private static RandomJobSpec someJob() {
    for (long seed = 0; ; seed++) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
      boolean manyKeys = spec.keyKind() == KeyKind.TEXT && spec.cardinality() > 1000;
      boolean readWhole = !spec.combined() && spec.habits().patience() == 0;
      if (spec.reduces() == 3
          && spec.maps() == MAPS
          && spec.recordsPerMap() > 1000
          && manyKeys
          && readWhole
          && !spec.descending()
          && !spec.hotKey()
          && !spec.habits().skewed()
          && spec.largestValue() == 200) {
        return spec;
      }
    }
  }

  private static int logged(String sentence) throws IOException {
    return cluster.containerLogs().split(sentence, -1).length - 1;
  }

  private static long done(TaskType type) {
    Optional<JobHistory> now = JobHistory.ofRunning(home());
    return now.isPresent() ? now.get().done(type) : 0;
  }

  private static boolean isPlanned() throws IOException {
    Path staging = home().resolve("data/staging");
    if (!Files.exists(staging)) {
      return false;
    }
    try (var files = Files.walk(staging)) {
      return files.anyMatch(file -> file.endsWith("sailfish-reduce-plan"));
    }
  }

  private static Path home() {
    return temporary.resolve("cluster");
  }

  private static List<ProcessHandle> masters() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().commandLine().orElse("").contains(MASTER)
                    && process.info().commandLine().orElse("").contains(temporary.toString())
                    && process.info().command().orElse("").endsWith("java"))
        .toList();
  }
}
