package dev.sailfish.web.job;

import static dev.sailfish.web.job.JobFixture.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.IfileRow;
import dev.sailfish.web.source.shuffle.ShuffleData;
import dev.sailfish.web.source.shuffle.ShuffleFacts;
import dev.sailfish.web.source.yarn.AppFacts;
import dev.sailfish.web.source.yarn.AttemptFacts;
import dev.sailfish.web.source.yarn.ConfigurationFacts;
import dev.sailfish.web.source.yarn.JobFacts;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobTest {
  private static final String ID = "job_1_1";

  private final Job job = new Job(ID);

  private JobDetail detail(long nowMs) {
    return job.detail(nowMs, new JobDetail.Links(null, null), List.of());
  }

  private void shuffled(long appended, long sorted, int lost, long nowMs) {
    job.tell(new ShuffleFacts(ID, "ann", 1, 2, 3, appended, false, false), nowMs);
    IfileRow row = new IfileRow(0, List.of("/r"), 2, 0, 1, 1, lost, appended, appended / 2, 10);
    job.tell(new ShuffleData(List.of(row), sorted, appended - sorted, 0, List.of()), nowMs);
  }

  @Test
  void phasesOverlapAsTheyDid() {
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0 + 2_000);
    job.tell(JobFixture.facts(ID, JobState.RUNNING, 4, 0), T0 + 3_000);
    job.tellTasks(
        List.of(
            JobFixture.task(true, 0, TaskFacts.Phase.DONE, 5_000),
            JobFixture.task(true, 1, TaskFacts.Phase.RUNNING, 6_000)),
        T0 + 3_000);
    shuffled(1_000, 0, 0, T0 + 4_000);
    shuffled(2_000, 500, 0, T0 + 5_000);
    assertThat(detail(T0 + 6_000).phases())
        .containsExactly(
            new JobDetail.Phase("maps", T0 + 2_000, null),
            new JobDetail.Phase("appends", T0 + 4_000, null),
            new JobDetail.Phase("sorts", T0 + 5_000, null));
    job.tell(JobFixture.facts(ID, JobState.RUNNING, 8, 0), T0 + 7_000);
    job.tellTasks(JobFixture.tasks(true, 5_000, 6_000), T0 + 7_000);
    shuffled(2_000, 2_000, 0, T0 + 8_000);
    assertThat(detail(T0 + 9_000).phases())
        .containsExactly(
            new JobDetail.Phase("maps", T0 + 2_000, T0 + 8_000),
            new JobDetail.Phase("appends", T0 + 4_000, T0 + 5_000),
            new JobDetail.Phase("sorts", T0 + 5_000, T0 + 8_000));
  }

  @Test
  void figuresStayWhenTheDataOfAnEndedJobIsGone() {
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0);
    shuffled(4_000, 4_000, 0, T0 + 5_000);
    shuffled(0, 0, 0, T0 + 6_000);
    assertThat(job.row(T0 + 7_000).appendedBytes()).isEqualTo(4_000);
    assertThat(job.row(T0 + 7_000).sortedBytes()).isEqualTo(4_000);
  }

  @Test
  void pointsAreBounded() {
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0);
    for (int i = 1; i <= 5_000; i++) {
      shuffled(i * 10L, i * 5L, 0, T0 + i * 1_000L);
    }
    List<JobDetail.Point> points = detail(T0 + 6_000_000).series();
    assertThat(points).hasSizeBetween(200, Progress.MOST_POINTS);
    List<Long> times = new ArrayList<>(points.stream().map(JobDetail.Point::ms).toList());
    assertThat(times).isSorted();
  }

  @Test
  void theVerdictNamesTheWorstFirst() {
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0);
    job.tell(JobFixture.facts(ID, JobState.RUNNING, 8, 3), T0 + 2_000);
    assertThat(job.row(T0 + 2_000).verdict())
        .isEqualTo("8 of 8 maps done; 3 of 4 reduce tasks done.");
    job.tell(
        JobFixture.report(
            1,
            JobFixture.plan(
                List.of(new AmReport.HeavyKey(3, "\"the\"", 4_000)), 1_000, 1_000, 1_000, 5_000)),
        T0 + 3_000);
    assertThat(job.row(T0 + 3_000).verdict())
        .isEqualTo(
            "The key \"the\" alone has 50 % of the data: one reduce task has to take it all.");
    List<TaskFacts> tasks = new ArrayList<>(JobFixture.tasks(false, 10_000, 10_000, 10_000));
    tasks.add(JobFixture.task(false, 3, TaskFacts.Phase.RUNNING, 60_000));
    job.tellTasks(tasks, T0 + 4_000);
    JobRow row = job.row(T0 + 4_000);
    assertThat(row.level()).isEqualTo("watch");
    assertThat(row.verdict())
        .isEqualTo(
            "task_1_1_r_000003 runs for 1 min 0 s, the median is 10 s. Its work has 4.9 KiB, the"
                + " median has 1000 B.");
    assertThat(detail(T0 + 4_000).stragglers())
        .extracting(JobDetail.Straggler::task)
        .containsExactly("task_1_1_r_000003");
    shuffled(2_000, 0, 1, T0 + 5_000);
    assertThat(job.row(T0 + 5_000).level()).isEqualTo("bad");
    assertThat(job.row(T0 + 5_000).verdict()).startsWith("1 chunk of 1 I-file lost");
    job.tell(JobFixture.app(ID, JobState.FAILED), T0 + 6_000);
    assertThat(job.row(T0 + 6_000).verdict())
        .isEqualTo("The job failed: Task failed task_1_1_m_000000");
    assertThat(job.unplaced(T0 + 6_000)).contains("task_1_1_m_000000");
    String said = "Error: java.io.IOException: not a number\n\tat a.Mapper.map(Mapper.java:7)";
    job.tell("task_1_1_m_000000", new AttemptFacts("attempt_1_1_m_000000_3", 3, "node", said));
    assertThat(job.row(T0 + 6_000).verdict())
        .isEqualTo(
            "The job failed: Task failed task_1_1_m_000000: Error: java.io.IOException: not a"
                + " number");
    assertThat(job.unplaced(T0 + 6_000)).doesNotContain("task_1_1_m_000000");
  }

  @Test
  void anEndedJobIsComparedWithTheRunBefore() {
    job.tell(JobFixture.app(ID, JobState.SUCCEEDED), T0);
    job.tell(JobFixture.facts(ID, JobState.SUCCEEDED, 8, 4), T0);
    job.tell(new JobDetail.Previous("job_1_0", 30_000L, 5_000L, null, 10L, T0 - 1));
    assertThat(job.row(T0).verdict())
        .isEqualTo("The job took 1 min 0 s, the run before 30 s (+100 %).");
  }

  @Test
  void anOlderReportDoesNotCount() {
    job.tell(JobFixture.report(5, JobFixture.plan(List.of(), 7)), T0);
    job.tell(JobFixture.report(4, null), T0);
    assertThat(job.report().sequence()).isEqualTo(5);
    job.tell(JobFixture.report(6, null), T0);
    assertThat(job.report().sequence()).isEqualTo(6);
    assertThat(job.report().plan()).as("a plan stays").isNotNull();
  }

  @Test
  void thePlanHasWhatWasAndWhatIs() {
    job.tell(JobFixture.facts(ID, JobState.RUNNING, 8, 1), T0);
    job.tellTasks(JobFixture.tasks(false, 2_000), T0);
    job.tell(JobFixture.report(1, JobFixture.plan(List.of(), 70, 80)), T0);
    assertThat(job.unread()).extracting(TaskFacts::number).containsExactly(0);
    job.tellActual(0, new WorkActual(71L, 40L, 11L));
    PlanView plan = job.plan(T0);
    assertThat(plan.works()).hasSize(2);
    assertThat(plan.works().get(0).actualBytes()).isEqualTo(71);
    assertThat(plan.works().get(0).fetchedBytes()).isEqualTo(40);
    assertThat(plan.works().get(0).state()).isEqualTo("DONE");
    assertThat(plan.works().get(0).elapsedMs()).isEqualTo(2_000);
    assertThat(plan.works().get(1).state()).isEqualTo("WAITING");
    assertThat(plan.works().get(1).actualBytes()).isNull();
    assertThat(job.unread()).isEmpty();
  }

  @Test
  void aJobOfTheMetaserverAloneEndsWhenThatForgetsIt() {
    shuffled(10, 0, 0, T0);
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    job.tellGone();
    assertThat(job.state()).isEqualTo(JobState.UNKNOWN);
    assertThat(job.row(T0 + 1).finishedMs()).isEqualTo(T0);
  }

  @Test
  void theCostIsThatOfTheCounters() {
    job.tell(JobFixture.facts(ID, JobState.SUCCEEDED, 8, 4), T0);
    job.tellCounters(JobFixture.counters(123, 4_000), T0);
    JobDetail detail = detail(T0);
    assertThat(detail.cost()).isEqualTo(new JobDetail.Cost(4_000L, null, 60_000L));
    assertThat(detail.row().reducedBytes()).isEqualTo(123);
    assertThat(detail.counters()).hasSize(2);
  }

  @Test
  void theCostHasWhatServersTookToSort() {
    job.tell(new ShuffleFacts(ID, "ann", 1, 2, 3, 10, false, false), T0);
    IfileRow row = new IfileRow(0, List.of("/r"), 2, 0, 0, 2, 0, 10, 5, 1);
    job.tell(new ShuffleData(List.of(row), 10, 0, 7_900, List.of()), T0);
    assertThat(detail(T0).cost().sortCpuMs()).isEqualTo(7);
  }

  @Test
  void theModeOfAJobWithStocksApplicationMasterComesFromItsConfiguration() {
    job.tell(JobFixture.facts(ID, JobState.RUNNING, 1, 0), T0);
    assertThat(job.wantsConfiguration(T0)).as("no server has heard of it").isFalse();
    job.tell(new ConfigurationFacts(true, false));
    assertThat(job.row(T0).mode()).isEqualTo("unknown");
    shuffled(10, 0, 0, T0);
    assertThat(job.row(T0).mode()).isEqualTo("plug-in");
    job.tell(new ConfigurationFacts(true, true));
    assertThat(job.row(T0).mode()).as("its own did not report").isEqualTo("unknown");
    assertThat(job.wantsConfiguration(T0)).isFalse();
    job.tell(JobFixture.report(1, null), T0);
    assertThat(job.row(T0).mode()).isEqualTo("auto");
  }

  @Test
  void theConfigurationIsAskedForOnceAndOnlyIfNothingElseSaysTheMode() {
    shuffled(10, 0, 0, T0);
    assertThat(job.wantsConfiguration(T0)).isTrue();
    job.tell(new ConfigurationFacts(true, false));
    assertThat(job.wantsConfiguration(T0)).isFalse();
  }

  @Test
  void itGoesOnFromWhatAnEarlierProcessHasSeen() {
    List<JobDetail.Point> earlier = new ArrayList<>();
    for (int i = 1; i <= 100; i++) {
      earlier.add(new JobDetail.Point(T0 + i * 5_000L, i / 20, i * 10L, i * 5L, 0, 0));
    }
    job.restore(earlier);
    assertThat(job.series()).isEqualTo(earlier);
    shuffled(2_000, 1_500, 0, T0 + 600_000);
    shuffled(2_000, 1_500, 0, T0 + 602_000);
    JobDetail detail = detail(T0 + 602_000);
    assertThat(detail.series()).startsWith(earlier.toArray(JobDetail.Point[]::new));
    assertThat(detail.series().get(detail.series().size() - 1))
        .isEqualTo(new JobDetail.Point(T0 + 602_000, 5, 2_000, 1_500, 0, 0));
    assertThat(detail.phases())
        .contains(new JobDetail.Phase("appends", T0 + 5_000, null))
        .contains(new JobDetail.Phase("sorts", T0 + 5_000, null));
  }

  private static AmReport ended(String viewAcl) {
    return new AmReport(
        1, 1, ID, 1, "auto", "asked for", null, null, List.of(), 0, "SUCCEEDED", viewAcl);
  }

  @Test
  void ofAJobOfYarnNoReportSaysThatItHasEnded() {
    job.tell(ended(null), T0);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0);
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void theListOfAReportCountsWhereTheMetaserverHasTheJobAsTheSameUsers() {
    job.tell(ended("bob"), T0);
    assertThat(job.viewAcl()).isEqualTo("bob");
    job.tell(JobFixture.app(ID, JobState.RUNNING), T0);
    assertThat(job.viewAcl()).as("nobody says whose report it is").isNull();
    job.tell(new ShuffleFacts(ID, "eve", 1, 0, 0, 0, false, false), T0);
    assertThat(job.viewAcl()).as("it is another user's").isNull();
    job.tell(new ShuffleFacts(ID, "ann", 1, 0, 0, 0, false, false), T0);
    assertThat(job.viewAcl()).as("it was another user's").isNull();
    job.tell(ended("bob"), T0);
    assertThat(job.viewAcl()).isEqualTo("bob");
  }

  @Test
  void whatTheMetaserverHasOfAnotherUserUnderTheNameIsNotShown() {
    job.tell(ended(null), T0);
    shuffled(1_000, 500, 1, T0);
    assertThat(job.row(T0).appendedBytes()).isEqualTo(1_000);
    AppFacts eves = JobFixture.app(ID, JobState.RUNNING, "eve");
    job.tell(eves, T0);
    JobRow row = job.row(T0);
    assertThat(row.user()).isEqualTo("eve");
    assertThat(row.appendedBytes()).isNull();
    assertThat(row.mode()).isEqualTo("unknown");
    assertThat(row.level()).as("no chunk of hers is lost").isEqualTo("ok");
    assertThat(job.report()).isNull();
    assertThat(job.ifiles()).isEmpty();
    job.tell(new ShuffleFacts(ID, "eve", 1, 0, 0, 7, false, false), T0);
    assertThat(job.row(T0).mode()).as("the report was ann's").isEqualTo("unknown");
    assertThat(job.row(T0).appendedBytes()).isNotNull();
  }

  @Test
  void saysWhichReportItKnows() {
    assertThat(job.knows(1, 1)).isFalse();
    job.tell(JobFixture.report(5, null), T0);
    assertThat(job.knows(1, 5)).isTrue();
    assertThat(job.knows(1, 4)).isTrue();
    assertThat(job.knows(1, 6)).isFalse();
    assertThat(job.knows(2, 1)).isFalse();
  }

  @Test
  void manySmallReduceTasksThatTookHalfOfTheTimeAreNamed() {
    job.tell(JobFixture.app(ID, JobState.SUCCEEDED), T0);
    job.tellCounters(JobFixture.counters(8_000, 1), T0);
    JobFacts facts = JobFixture.facts(ID, JobState.SUCCEEDED, 8, 10);
    job.tell(JobFixture.withReduces(facts, 10), T0);
    job.tellTasks(JobFixture.tasks(false, 29_000), T0);
    assertThat(job.row(T0).level()).isEqualTo("ok");
    job.tellTasks(JobFixture.tasks(false, 31_000), T0);
    assertThat(job.row(T0).verdict())
        .isEqualTo(
            "10 reduce tasks fetched 800 B each, and took 31 s of 1 min 0 s: nearly all of that is"
                + " their starts.");
    job.tell(JobFixture.withReduces(facts, 7), T0);
    assertThat(job.row(T0).level()).isEqualTo("ok");
  }
}
