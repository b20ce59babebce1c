package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.yarn.AppFacts;
import dev.sailfish.web.source.yarn.CounterFacts;
import dev.sailfish.web.source.yarn.JobFacts;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.List;

/** Jobs as sources would tell them. */
public final class JobFixture {
  /** When a fixture's jobs are submitted, in milliseconds since 1970. */
  public static final long T0 = 1_800_000_000_000L;

  private JobFixture() {}

  static AppFacts app(String job, JobState state) {
    return app(job, state, "ann");
  }

  static AppFacts app(String job, JobState state, String user) {
    return new AppFacts(
        AppFacts.applicationOf(job),
        "sort of " + job,
        user,
        "default",
        state,
        T0,
        T0 + 1_000,
        state.isFinal() ? T0 + 61_000 : 0,
        state == JobState.FAILED ? "Task failed task_1_1_m_000000\nmore" : "",
        50);
  }

  static JobFacts facts(String job, JobState state, int mapsDone, int reducesDone) {
    return new JobFacts(
        job,
        "sort of " + job,
        "ann",
        "default",
        state,
        T0,
        T0 + 1_000,
        state.isFinal() ? T0 + 61_000 : 0,
        8,
        mapsDone,
        4,
        reducesDone,
        "",
        null);
  }

  /** The same job with so many reduce tasks. */
  static JobFacts withReduces(JobFacts job, int reduces) {
    return new JobFacts(
        job.id(),
        job.name(),
        job.user(),
        job.queue(),
        job.state(),
        job.submittedMs(),
        job.startedMs(),
        job.finishedMs(),
        job.maps(),
        job.mapsDone(),
        reduces,
        reduces,
        job.diagnostics(),
        job.viewAcl());
  }

  static TaskFacts task(boolean map, int number, TaskFacts.Phase phase, long elapsedMs) {
    return new TaskFacts(
        "task_1_1_%s_%06d".formatted(map ? "m" : "r", number),
        map,
        phase,
        T0 + 2_000,
        phase == TaskFacts.Phase.DONE ? T0 + 2_000 + elapsedMs : 0,
        elapsedMs,
        "");
  }

  static List<TaskFacts> tasks(boolean map, long... elapsedMs) {
    List<TaskFacts> tasks = new ArrayList<>();
    for (int i = 0; i < elapsedMs.length; i++) {
      tasks.add(task(map, i, TaskFacts.Phase.DONE, elapsedMs[i]));
    }
    return tasks;
  }

  static List<CounterFacts> counters(long shuffled, long cpuMs) {
    return List.of(
        new CounterFacts("task", "REDUCE_SHUFFLE_BYTES", 0, shuffled, shuffled),
        new CounterFacts("task", "CPU_MILLISECONDS", cpuMs / 2, cpuMs / 2, cpuMs));
  }

  static AmReport report(long sequence, AmReport.Plan plan, AmReport.Event... events) {
    return new AmReport(
        1, sequence, "job_1_1", 1, "auto", "asked for", null, plan, List.of(events), 0, null, null);
  }

  /** A plan of works with so many bytes, one for each partition. */
  static AmReport.Plan plan(List<AmReport.HeavyKey> heavy, long... bytes) {
    List<AmReport.Work> works = new ArrayList<>();
    for (int i = 0; i < bytes.length; i++) {
      works.add(new AmReport.Work(i, i, i, 0, null, null, 10, bytes[i], bytes[i]));
    }
    return new AmReport.Plan(100L, "given", bytes.length, List.of(), heavy, works, 0);
  }

  /** A summary of a job that has ended, and of which nobody knows who may see it. */
  public static JobRow row(String id, String name, String user, long finishedMs) {
    return row(id, name, user, finishedMs, null);
  }

  /** A summary of a job that has ended. */
  public static JobRow row(String id, String name, String user, long finishedMs, String viewAcl) {
    return new JobRow(
        id,
        AppFacts.applicationOf(id),
        name,
        user,
        "default",
        "SUCCEEDED",
        "auto",
        8,
        8,
        4,
        4,
        1_000L,
        1_000L,
        900L,
        finishedMs - 60_000,
        finishedMs - 50_000,
        finishedMs,
        "ok",
        "The job took 50 s.",
        finishedMs,
        viewAcl);
  }
}
