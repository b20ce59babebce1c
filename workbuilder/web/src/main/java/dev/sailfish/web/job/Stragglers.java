package dev.sailfish.web.job;

import dev.sailfish.web.job.JobDetail.Straggler;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.yarn.AttemptFacts;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Tasks that take far longer than others of their kind: a function of what is known. */
final class Stragglers {
  /** Most that are named, of maps and reduce tasks each. */
  static final int MOST = 10;

  private static final int LEAST_DONE = 3;
  private static final long LEAST_MS = 5_000;
  private static final double MUCH_MORE = 1.5;

  private Stragglers() {}

  /** The slowest first, maps before reduce tasks. */
  static List<Straggler> of(JobKnown job, Map<String, AttemptFacts> attempts) {
    List<Straggler> all = new ArrayList<>();
    all.addAll(of(job, true, attempts));
    all.addAll(of(job, false, attempts));
    return all;
  }

  private static List<Straggler> of(
      JobKnown job, boolean maps, Map<String, AttemptFacts> attempts) {
    List<TaskFacts> tasks = job.tasks().stream().filter(task -> task.map() == maps).toList();
    long[] done =
        tasks.stream()
            .filter(task -> task.phase() == TaskFacts.Phase.DONE)
            .mapToLong(TaskFacts::elapsedMs)
            .sorted()
            .toArray();
    if (done.length < LEAST_DONE) {
      return List.of();
    }
    long median = done[done.length / 2];
    return tasks.stream()
        .filter(task -> isSlow(task, median))
        .sorted(Comparator.comparingLong(TaskFacts::elapsedMs).reversed())
        .limit(MOST)
        .map(task -> straggler(job, task, median, attempts.get(task.id())))
        .toList();
  }

  private static boolean isSlow(TaskFacts task, long median) {
    return (task.phase() == TaskFacts.Phase.RUNNING || task.phase() == TaskFacts.Phase.DONE)
        && task.elapsedMs() > 2 * median
        && task.elapsedMs() > median + LEAST_MS;
  }

  private static Straggler straggler(
      JobKnown job, TaskFacts task, long median, AttemptFacts attempt) {
    Long bytes = task.map() ? null : bytes(job.plan(), task.number());
    return new Straggler(
        task.id(),
        task.map() ? "map" : "reduce",
        attempt == null ? null : (Integer) attempt.number(),
        attempt == null || attempt.host().isEmpty() ? null : attempt.host(),
        task.elapsedMs(),
        median,
        bytes,
        why(job.plan(), bytes, attempt));
  }

  private static Long bytes(AmReport.Plan plan, int number) {
    return plan == null || number < 0 || number >= plan.works().size()
        ? null
        : (Long) plan.works().get(number).bytes();
  }

  private static String why(AmReport.Plan plan, Long bytes, AttemptFacts attempt) {
    if (attempt != null && attempt.number() > 0) {
      return "This is attempt "
          + (attempt.number() + 1)
          + " of it: look at the log of the one before, it has failed or was taken back.";
    }
    if (plan != null && bytes != null) {
      long[] all = plan.works().stream().mapToLong(AmReport.Work::bytes).sorted().toArray();
      long median = all[all.length / 2];
      return bytes > MUCH_MORE * median
          ? "Its work has " + Words.size(bytes) + ", the median has " + Words.size(median) + "."
          : "Its work has no more bytes than others: look at its host, and at what it does with a"
              + " record.";
    }
    return "Others of its kind took half as long or less: look at its host and its log.";
  }
}
