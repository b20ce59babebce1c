package dev.sailfish.web.job;

import dev.sailfish.web.job.JobDetail.Phase;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.List;

/** The parts of a job's time: a function of what is known. */
final class Phases {
  private Phases() {}

  /** In the order in which they begin in most jobs; those that have not begun are not there. */
  static List<Phase> of(JobKnown job, Progress progress) {
    List<Phase> phases = new ArrayList<>();
    boolean ended = job.state().isFinal();
    tasks("maps", job, true, phases);
    if (progress.appends().hasBegun()) {
      boolean over = ended || job.areMapsDone();
      phases.add(
          new Phase(
              "appends",
              progress.appends().fromMs(),
              over ? (Long) progress.appends().changedMs() : null));
    }
    if (progress.sorts().hasBegun()) {
      boolean over =
          ended || job.areMapsDone() && job.data() != null && job.data().unsortedBytes() == 0;
      phases.add(
          new Phase(
              "sorts",
              progress.sorts().fromMs(),
              over ? (Long) progress.sorts().changedMs() : null));
    }
    List<Long> planning = job.report() == null ? null : job.report().planningMs();
    if (planning != null && !planning.isEmpty() && planning.get(0) != null) {
      Long made = planning.size() > 1 ? planning.get(1) : null;
      phases.add(
          new Phase("plan", planning.get(0), made == null && ended ? job.finishedMs() : made));
    }
    tasks("reduces", job, false, phases);
    return phases;
  }

  private static void tasks(String name, JobKnown job, boolean maps, List<Phase> phases) {
    long from = Long.MAX_VALUE;
    long to = 0;
    boolean running = false;
    for (TaskFacts task : job.tasks()) {
      if (task.map() == maps && task.startedMs() > 0) {
        from = Math.min(from, task.startedMs());
        to = Math.max(to, task.finishedMs());
      }
      running |= task.map() == maps && isToRun(task);
    }
    if (from < Long.MAX_VALUE) {
      boolean over = job.state().isFinal() || !running;
      phases.add(
          new Phase(name, from, over && to > 0 ? (Long) to : over ? job.finishedMs() : null));
    }
  }

  private static boolean isToRun(TaskFacts task) {
    return task.phase() == TaskFacts.Phase.WAITING || task.phase() == TaskFacts.Phase.RUNNING;
  }
}
