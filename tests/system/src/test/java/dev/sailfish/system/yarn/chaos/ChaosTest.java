package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chaos.ChaosReport;
import dev.sailfish.testkit.ScratchDirectory;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random jobs on a real cluster while its processes are killed, stopped, cut off and starved and
 * its files are damaged: no wrong output, no hang, and nothing left of any job.
 *
 * <p>{@code -Dsailfish.seed=N} repeats a plan; {@code -Dsailfish.chaos.jobs}, {@code
 * -Dsailfish.chaos.faults} and {@code -Dsailfish.chaos.kinds} (names with commas between them) say
 * how much of what; {@code -Dsailfish.chaos.job=K} runs only that job of the plan. Logs, outputs
 * and {@code report.json} stay in {@code target/chaos}.
 */
@Seeded
class ChaosTest {
  private static final Path WORK = Path.of("target/chaos").toAbsolutePath();
  private static final Set<JobFault> QUICK =
      EnumSet.of(
          JobFault.KILL_MAP_ATTEMPT,
          JobFault.KILL_REDUCE_ATTEMPT,
          JobFault.CHUNKSERVER_KILLED_FOR_GOOD,
          JobFault.CHUNKSERVER_RESTARTED,
          JobFault.CONNECTION_CUT,
          JobFault.BIT_FLIP);

  private static final int JOBS = 100;

  /** So that 300 strike: one in twenty finds nothing to hit, since its job has just ended. */
  private static final int FAULTS = 330;

  /** How often kinds of faults that found nothing to hit are planned again. */
  private static final int MOST_ROUNDS = 8;

  private static ChaosCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    ScratchDirectory.delete(WORK);
    Files.createDirectories(WORK);
    cluster = ChaosCluster.start(WORK);
  }

  @AfterAll
  static void nothingShouldBeLeft() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void someJobsShouldSurviveSomeFaults(Seed seed) throws Exception {
    survive(ChaosPlan.of(seed.value(), 2, QUICK.size(), QUICK, false));
  }

  @Test
  @Tag("long")
  void manyJobsShouldSurviveManyFaults(Seed seed) throws Exception {
    int jobs = Integer.getInteger("sailfish.chaos.jobs", JOBS);
    int faults = Integer.getInteger("sailfish.chaos.faults", FAULTS);
    survive(ChaosPlan.of(seed.value(), jobs, faults, kinds(), true));
  }

  private static Set<JobFault> kinds() {
    String names = System.getProperty("sailfish.chaos.kinds", "");
    Set<JobFault> kinds = EnumSet.noneOf(JobFault.class);
    Arrays.stream(names.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .forEach(name -> kinds.add(JobFault.valueOf(name)));
    return kinds.isEmpty() ? EnumSet.allOf(JobFault.class) : kinds;
  }

  private static void survive(ChaosPlan plan) throws Exception {
    System.out.println(plan);
    ChaosReport<ChaosCluster> report = new ChaosReport<>(plan.seed(), JobResult.Recovery.columns());
    JobRunner runner = new JobRunner(cluster, WORK);
    List<String> problems = new ArrayList<>();
    int only = Integer.getInteger("sailfish.chaos.job", -1);
    try {
      for (JobPlan job : plan.jobs()) {
        if (only < 0 || only == job.ordinal()) {
          run(job, runner, report, problems);
        }
      }
      if (only < 0) {
        strikeAgain(plan, runner, report, problems);
      }
    } finally {
      report.write(WORK.resolve("report.json"));
      System.out.println(report.text());
    }
    assertThat(problems)
        .as("problems of seed=%s; logs in %s\n%s", plan.seed(), cluster.home(), plan)
        .isEmpty();
    if (only < 0) {
      assertThat(report.neverStruck())
          .as("kinds of faults that were planned and never struck, seed=%s", plan.seed())
          .isEmpty();
    }
  }

  /**
   * A fault finds nothing to hit when its job is faster: then other jobs are run for its kind, so
   * that a kind that never struck is one that cannot strike.
   */
  private static void strikeAgain(
      ChaosPlan plan, JobRunner runner, ChaosReport<ChaosCluster> report, List<String> problems) {
    int next = plan.jobs().size();
    for (int round = 0; round < MOST_ROUNDS && !report.neverStruck().isEmpty(); round++) {
      ChaosPlan again = plan.again(round, next, report.neverStruck());
      System.out.println("these found nothing to hit: " + report.neverStruck() + "\n" + again);
      for (JobPlan job : again.jobs()) {
        run(job, runner, report, problems);
      }
      next += again.jobs().size();
    }
  }

  /** One job; a wrong result is noted, after a hang or a leak the run is over. */
  private static void run(
      JobPlan job, JobRunner runner, ChaosReport<ChaosCluster> report, List<String> problems) {
    try {
      JobResult result = runner.run(job);
      report.add(result);
      System.out.println(
          job.name()
              + " succeeded="
              + result.succeeded()
              + " wall_ms="
              + result.wallMs()
              + " maps_again="
              + result.mapsAgain()
              + " reduces_again="
              + result.reducesAgain()
              + " highest_map_attempt="
              + result.highestAttempt(true)
              + " highest_reduce_attempt="
              + result.highestAttempt(false)
              + " "
              + result.injections());
      result.problem().ifPresent(problem -> problems.add(job + ": " + problem));
      cluster.awaitClean();
    } catch (Exception | AssertionError e) {
      throw new AssertionError(
          "the run ends with " + job + ", logs in " + cluster.home() + ": " + e, e);
    }
  }
}
