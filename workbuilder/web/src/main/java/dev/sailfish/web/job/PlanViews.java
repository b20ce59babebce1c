package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.IfileRow;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The reduce work of a job as it is shown: a function of what is known. */
final class PlanViews {
  private PlanViews() {}

  /**
   * The plan that the job's ApplicationMaster has told; else a work for each reduce task that there
   * is.
   *
   * @param actuals by number of the reduce task
   */
  static PlanView of(JobKnown job, Map<Integer, WorkActual> actuals, long heardMs) {
    Map<Integer, TaskFacts> tasks = new HashMap<>();
    for (TaskFacts task : job.tasks()) {
      if (!task.map()) {
        tasks.put(task.number(), task);
      }
    }
    AmReport.Plan plan = job.plan();
    String why = job.report() == null || job.report().why() == null ? "" : job.report().why();
    if (plan == null) {
      List<PlanView.Work> works = unplanned(job, tasks, actuals);
      return new PlanView(
          job.mode(), why, null, null, works.size(), List.of(), List.of(), works, 0, heardMs);
    }
    List<PlanView.Work> works = new ArrayList<>();
    for (AmReport.Work work : plan.works()) {
      works.add(planned(work, tasks.get(work.work()), actuals.get(work.work())));
    }
    return new PlanView(
        job.mode(),
        why,
        plan.targetBytes(),
        plan.targetReason(),
        plan.partitions(),
        plan.refusals(),
        plan.heavyKeys(),
        works,
        plan.worksLeftOut(),
        heardMs);
  }

  private static PlanView.Work planned(AmReport.Work work, TaskFacts task, WorkActual actual) {
    return new PlanView.Work(
        work.work(),
        work.first(),
        work.last(),
        work.range(),
        work.from(),
        work.to(),
        work.bytes(),
        work.mostBytes(),
        work.records(),
        actual == null ? null : actual.bytes(),
        actual == null ? null : actual.fetchedBytes(),
        actual == null ? null : actual.records(),
        elapsed(task),
        state(task));
  }

  /** A work for each partition: its bytes are those of its I-files, those of losers too. */
  private static List<PlanView.Work> unplanned(
      JobKnown job, Map<Integer, TaskFacts> tasks, Map<Integer, WorkActual> actuals) {
    Map<Integer, IfileRow> ifiles = new HashMap<>();
    if (job.data() != null) {
      job.data().ifiles().forEach(row -> ifiles.put(row.partition(), row));
    }
    int count = job.shuffle() != null ? job.shuffle().partitions() : 0;
    count = Math.max(count, job.reduces() == null ? 0 : job.reduces());
    List<PlanView.Work> works = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      IfileRow ifile = ifiles.get(i);
      WorkActual actual = actuals.get(i);
      Long bytes = ifile == null ? null : (Long) ifile.bytes();
      works.add(
          new PlanView.Work(
              i,
              i,
              i,
              0,
              null,
              null,
              bytes,
              bytes,
              ifile == null ? null : (Long) ifile.records(),
              actual == null ? null : actual.bytes(),
              actual == null ? null : actual.fetchedBytes(),
              actual == null ? null : actual.records(),
              elapsed(tasks.get(i)),
              state(tasks.get(i))));
    }
    return works;
  }

  private static Long elapsed(TaskFacts task) {
    return task == null || task.phase() == TaskFacts.Phase.WAITING ? null : (Long) task.elapsedMs();
  }

  private static String state(TaskFacts task) {
    return (task == null ? TaskFacts.Phase.WAITING : task.phase()).name();
  }
}
