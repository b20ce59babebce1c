package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.hadoop.warm.ProbeContainer.Classes;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.mapred.Counters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Real tasks in a real process, with an ApplicationMaster that is a list of tasks. */
class WarmChildTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "SHARED")
  void theNextTaskShouldFindNothingOfTheLast(Classes mode) throws Exception {
    ProbeContainer container = new ProbeContainer(directory, mode);
    try (ProbeMaster master =
        new ProbeMaster(container.tasks(List.of("change", "change", "none")))) {
      assertThat(container.run(master)).isZero();
      assertThat(master.told()).containsExactly(done(0), done(1), done(2));
      assertThat(container.findings(0)).contains("runs=0", "loader=true", "property=null");
      assertThat(container.findings(1)).isEqualTo(container.findings(0));
      assertThat(container.findings(2)).isEqualTo(container.findings(0));
      assertThat(fileCounters(master, 1)).isEqualTo(fileCounters(master, 0)).isNotEmpty();
    }
    assertThat(container.log("syslog")).contains("log of " + ProbeJob.attempt(0));
    assertThat(container.log("stdout")).isEqualTo("out of " + ProbeJob.attempt(0) + "\n");
    for (int task = 1; task < 3; task++) {
      String attempt = ProbeJob.attempt(task);
      assertThat(container.log("syslog." + attempt))
          .contains("log of " + attempt)
          .doesNotContain("debug of");
      assertThat(container.log("stdout." + attempt)).isEqualTo("out of " + attempt + "\n");
      assertThat(container.log("stderr." + attempt)).isEqualTo("err of " + attempt + "\n");
    }
  }

  /** Static state goes with the class loader, so it is not what is left of the heap. */
  @Test
  void largeStaticStateShouldNotEndTheJvm() throws Exception {
    ProbeContainer container = new ProbeContainer(directory, Classes.ISOLATED);
    try (ProbeMaster master = new ProbeMaster(container.tasks(List.of("cache", "cache", "none")))) {
      assertThat(container.run(master)).as(container.log("hadoop")).isZero();
      assertThat(master.told()).containsExactly(done(0), done(1), done(2));
    }
  }

  /** Not that of its JVM, by which a plan would think that reduce tasks take long to start. */
  @Test
  void aLaterMapShouldCountItsOwnStart() throws Exception {
    ProbeContainer container = new ProbeContainer(directory, Classes.ISOLATED);
    try (ProbeMaster master = new ProbeMaster(container.tasks(List.of("start", "start")))) {
      assertThat(container.run(master)).as(container.log("hadoop")).isZero();
      assertThat(startMs(master, 1)).isPositive().isLessThan(startMs(master, 0));
    }
  }

  @Test
  void sharedClassesShouldKeepTheirStaticState() throws Exception {
    ProbeContainer container = new ProbeContainer(directory, Classes.SHARED);
    try (ProbeMaster master = new ProbeMaster(container.tasks(List.of("none", "none")))) {
      assertThat(container.run(master)).isZero();
      assertThat(master.told()).containsExactly(done(0), done(1));
      assertThat(container.findings(0)).contains("runs=0");
      assertThat(container.findings(1)).contains("runs=1");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "thread, done, thread users is left",
    "pool, done, work in ForkJoinPool.commonPool() is left",
    "hook, done, shutdown hook",
    "heap, done, heap in use",
    "library, done, native libraries",
    "file, done, given in the working directory is changed",
    "factory, done, java.net.URL.factory was set",
    "fail, fatalError, has failed",
    "error, fatalError, has failed"
  })
  void whatCannotBePutBackShouldEndTheJvm(String act, String told, String why) throws Exception {
    ProbeContainer container = new ProbeContainer(directory, Classes.ISOLATED);
    try (ProbeMaster master = new ProbeMaster(container.tasks(List.of(act, "none")))) {
      assertThat(container.run(master)).isZero();
      assertThat(master.told()).containsExactly(told + " " + ProbeJob.attempt(0));
      assertThat(master.waiting()).isOne();
    }
    assertThat(container.hookHasRun()).isEqualTo(act.equals("hook"));
    assertThat(container.log("hadoop")).contains("This JVM ends after 1 tasks: ", why);
  }

  @Test
  void exitsOfTheUserShouldEndTheJvm() throws Exception {
    ProbeContainer container = new ProbeContainer(directory, Classes.ISOLATED);
    try (ProbeMaster master = new ProbeMaster(container.tasks(List.of("none", "exit", "none")))) {
      assertThat(container.run(master)).isEqualTo(3);
      assertThat(master.told()).containsExactly(done(0));
      assertThat(master.waiting()).isOne();
    }
  }

  private static String done(int task) {
    return "done " + ProbeJob.attempt(task);
  }

  private static long startMs(ProbeMaster master, int task) {
    return master
        .counters(ProbeJob.attempt(task))
        .findCounter(WorkCounter.GROUP, WorkCounter.MAP_START_MS)
        .getValue();
  }

  private static String fileCounters(ProbeMaster master, int task) {
    Counters counters = master.counters(ProbeJob.attempt(task));
    StringBuilder all = new StringBuilder();
    counters
        .getGroup("org.apache.hadoop.mapreduce.FileSystemCounter")
        .forEach(
            counter ->
                all.append(counter.getName()).append('=').append(counter.getValue()).append(' '));
    return all.toString();
  }
}
