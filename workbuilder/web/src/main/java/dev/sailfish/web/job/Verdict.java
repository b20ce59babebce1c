package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.servers.Advice;
import dev.sailfish.web.source.shuffle.IfileRow;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.List;
import java.util.function.Function;

/**
 * Why a job is as it is, in a sentence: the first thing that applies, the worst first. A function
 * of what is known.
 *
 * @param level as {@link Advice} has it
 */
record Verdict(String level, String text) {
  private static final long LONG_WAIT_MS = 30_000;
  private static final int PERCENT = 100;
  private static final int HEAVY_PERCENT = 20;

  /** Below so many bytes for each, the start of a reduce task takes longer than its work. */
  private static final long SMALL_WORK = 1 << 20;

  private static final int MANY_WORKS = 8;

  private static final List<Function<Evidence, Verdict>> RULES =
      List.of(
          Verdict::failed,
          Verdict::killed,
          Verdict::waiting,
          Verdict::lost,
          Verdict::straggling,
          Verdict::sorting,
          Verdict::heavyKey,
          Verdict::starts,
          Verdict::running,
          Verdict::ended);

  private record Evidence(
      JobKnown job, List<JobDetail.Straggler> stragglers, String cause, String previous) {}

  /**
   * The verdict.
   *
   * @param cause what the task said that the job failed of; empty where that is not known
   * @param previous an earlier run, or null
   */
  static Verdict of(
      JobKnown job,
      List<JobDetail.Straggler> stragglers,
      String cause,
      JobDetail.Previous previous) {
    Evidence evidence = new Evidence(job, stragglers, cause, compared(job, previous));
    for (Function<Evidence, Verdict> rule : RULES) {
      Verdict verdict = rule.apply(evidence);
      if (verdict != null) {
        return verdict;
      }
    }
    return new Verdict(Advice.OK, "Nobody says how the job has ended.");
  }

  private static Verdict watch(String text) {
    return new Verdict(Advice.WATCH, text);
  }

  private static Verdict failed(Evidence evidence) {
    if (evidence.job.state() != JobState.FAILED) {
      return null;
    }
    String reason = Words.firstLine(evidence.job.failure());
    String cause = Words.firstLine(evidence.cause);
    return new Verdict(
        Advice.BAD,
        reason.isEmpty()
            ? "The job failed; YARN's page has its log."
            : "The job failed: " + reason + (cause.isEmpty() ? "" : ": " + cause));
  }

  private static Verdict killed(Evidence evidence) {
    if (evidence.job.state() != JobState.KILLED) {
      return null;
    }
    String reason = Words.firstLine(evidence.job.diagnostics());
    return watch(reason.isEmpty() ? "The job was killed." : "The job was killed: " + reason);
  }

  private static Verdict waiting(Evidence evidence) {
    JobKnown job = evidence.job;
    if (job.state() != JobState.SUBMITTED) {
      return null;
    }
    Long submitted = job.submittedMs();
    long waits = submitted == null ? 0 : job.nowMs() - submitted;
    String text = "It waits for its first container in queue " + job.queue();
    return waits < LONG_WAIT_MS
        ? new Verdict(Advice.OK, text + ".")
        : watch(
            text
                + " for "
                + Words.duration(waits)
                + " already: the queue or the cluster is full, or its nodes are unhealthy.");
  }

  private static Verdict lost(Evidence evidence) {
    JobKnown job = evidence.job;
    long again =
        job.report() == null
            ? 0
            : job.report().events().stream()
                .filter(event -> "MAP_RUNS_AGAIN".equals(event.kind()))
                .map(AmReport.Event::task)
                .distinct()
                .count();
    int chunks = 0;
    int ifiles = 0;
    if (job.data() != null) {
      for (IfileRow ifile : job.data().ifiles()) {
        chunks += ifile.lost();
        ifiles += ifile.lost() > 0 ? 1 : 0;
      }
    }
    if (job.state().isFinal() ? again == 0 : chunks == 0 && again == 0) {
      return null;
    }
    String maps =
        again == 0 ? "" : Words.count(again, "map") + " ran again because output was lost";
    if (job.state().isFinal()) {
      return watch(maps + took(job) + ".");
    }
    String gone =
        chunks == 0
            ? ""
            : Words.count(chunks, "chunk") + " of " + Words.count(ifiles, "I-file") + " lost";
    return new Verdict(
        chunks > 0 ? Advice.BAD : Advice.WATCH,
        gone + (gone.isEmpty() || maps.isEmpty() ? "" : "; ") + maps + ": see the cluster's page.");
  }

  private static String took(JobKnown job) {
    return job.wallMs() == null || !job.state().isFinal()
        ? ""
        : "; the job took " + Words.duration(job.wallMs());
  }

  private static Verdict straggling(Evidence evidence) {
    if (evidence.stragglers.isEmpty()) {
      return null;
    }
    JobDetail.Straggler slowest = evidence.stragglers.get(evidence.stragglers.size() - 1);
    for (JobDetail.Straggler straggler : evidence.stragglers) {
      slowest = straggler.elapsedMs() > slowest.elapsedMs() ? straggler : slowest;
    }
    String tense = evidence.job.state().isFinal() ? " took " : " runs for ";
    return watch(
        slowest.task()
            + tense
            + Words.duration(slowest.elapsedMs())
            + ", the median is "
            + Words.duration(slowest.medianMs())
            + ". "
            + slowest.why());
  }

  private static Verdict sorting(Evidence evidence) {
    JobKnown job = evidence.job;
    boolean sorts =
        job.state() == JobState.RUNNING
            && job.areMapsDone()
            && job.data() != null
            && job.data().unsortedBytes() > 0;
    return sorts
        ? watch(
            "All maps are done, and "
                + Words.size(job.data().unsortedBytes())
                + " wait to be sorted: see the sorters' backlog on the cluster's page.")
        : null;
  }

  private static Verdict heavyKey(Evidence evidence) {
    AmReport.Plan plan = evidence.job.plan();
    if (plan == null || plan.heavyKeys().isEmpty()) {
      return null;
    }
    long all = plan.works().stream().mapToLong(AmReport.Work::bytes).sum();
    AmReport.HeavyKey heaviest = plan.heavyKeys().get(0);
    for (AmReport.HeavyKey key : plan.heavyKeys()) {
      heaviest = key.bytes() > heaviest.bytes() ? key : heaviest;
    }
    long percent = all == 0 ? 0 : heaviest.bytes() * PERCENT / all;
    return percent < HEAVY_PERCENT
        ? null
        : watch(
            "The key "
                + heaviest.key()
                + " alone has "
                + percent
                + " % of the data: one reduce task has to take it all"
                + took(evidence.job)
                + ".");
  }

  /** Many small reduce tasks have taken half of the time. */
  private static Verdict starts(Evidence evidence) {
    JobKnown job = evidence.job;
    Integer reduces = job.reduces();
    Long bytes = job.reducedBytes();
    boolean many = reduces != null && reduces >= MANY_WORKS && bytes != null;
    if (job.state() != JobState.SUCCEEDED || !many || job.wallMs() == null) {
      return null;
    }
    long each = bytes / reduces;
    long tookMs = reduceMs(job);
    return each >= SMALL_WORK || 2 * tookMs < job.wallMs()
        ? null
        : watch(
            "%d reduce tasks fetched %s each, and took %s of %s: nearly all of that is their starts."
                .formatted(
                    reduces,
                    Words.size(each),
                    Words.duration(tookMs),
                    Words.duration(job.wallMs())));
  }

  /** From the start of the first reduce task to the end of the last. */
  private static long reduceMs(JobKnown job) {
    long from = Long.MAX_VALUE;
    long to = 0;
    for (TaskFacts task : job.tasks()) {
      if (!task.map() && task.startedMs() > 0) {
        from = Math.min(from, task.startedMs());
        to = Math.max(to, task.finishedMs());
      }
    }
    return Math.max(0, to - from);
  }

  private static Verdict running(Evidence evidence) {
    JobKnown job = evidence.job;
    if (job.state() != JobState.RUNNING) {
      return null;
    }
    if (job.facts() == null && job.app() == null && job.shuffle() != null) {
      return new Verdict(
          Advice.OK,
          "It runs: "
              + Words.count(job.shuffle().manifests(), "map attempt")
              + " committed, "
              + Words.size(job.shuffle().appendedBytes())
              + " appended.");
    }
    if (job.facts() == null) {
      return new Verdict(Advice.OK, "It runs; its ApplicationMaster has not been heard yet.");
    }
    String reduces = "";
    if (job.areMapsDone()) {
      reduces =
          job.reduces() == null
              ? "; the reduce work is being planned"
              : "; %d of %d reduce tasks done".formatted(job.reducesDone(), job.reduces());
    }
    return new Verdict(
        Advice.OK, "%d of %d maps done%s.".formatted(job.mapsDone(), job.maps(), reduces));
  }

  private static Verdict ended(Evidence evidence) {
    JobKnown job = evidence.job;
    if (job.state() != JobState.SUCCEEDED) {
      return null;
    }
    return new Verdict(
        Advice.OK,
        job.wallMs() == null
            ? "The job succeeded."
            : "The job took " + Words.duration(job.wallMs()) + evidence.previous + ".");
  }

  private static String compared(JobKnown job, JobDetail.Previous previous) {
    Long now = job.wallMs();
    if (previous == null || previous.wallMs() == null || previous.wallMs() <= 0 || now == null) {
      return "";
    }
    long percent = Math.round(now * (double) PERCENT / previous.wallMs()) - PERCENT;
    String before = ", the run before " + Words.duration(previous.wallMs());
    return percent == 0 ? before : before + " (" + (percent > 0 ? "+" : "") + percent + " %)";
  }
}
