package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.AppFacts;
import dev.sailfish.web.source.CounterFacts;
import dev.sailfish.web.source.JobFacts;
import dev.sailfish.web.source.JobState;
import dev.sailfish.web.source.ShuffleData;
import dev.sailfish.web.source.ShuffleFacts;
import dev.sailfish.web.source.TaskFacts;
import java.util.List;

/**
 * What sources have told of a job, at one moment. What none has told is null. Immutable.
 *
 * @param nowMs milliseconds since 1970
 */
record JobKnown(
    String id,
    JobState state,
    AppFacts app,
    JobFacts facts,
    ShuffleFacts shuffle,
    ShuffleData data,
    List<TaskFacts> tasks,
    List<CounterFacts> counters,
    AmReport report,
    long nowMs) {
  private static final String REDUCE_SHUFFLE_BYTES = "REDUCE_SHUFFLE_BYTES";
  private static final String CPU = "CPU_MILLISECONDS";

  String name() {
    return facts != null ? facts.name() : app != null ? app.name() : id;
  }

  String user() {
    return app != null ? app.user() : facts != null ? facts.user() : shuffle.user();
  }

  String queue() {
    return app != null ? app.queue() : facts != null ? facts.queue() : "";
  }

  String mode() {
    if (report != null && report.mode() != null) {
      return report.mode();
    }
    // The ApplicationMaster tells its plan there, too.
    return facts != null && facts.diagnostics().contains("Reduce work: ") ? "auto" : "unknown";
  }

  /** The plan, or null. */
  AmReport.Plan plan() {
    return report == null ? null : report.plan();
  }

  Integer maps() {
    return facts == null ? null : (Integer) facts.maps();
  }

  Integer mapsDone() {
    return facts == null ? null : (Integer) facts.mapsDone();
  }

  /** Also null while the reduce work is not planned. */
  Integer reduces() {
    return facts == null || isToPlan() ? null : (Integer) facts.reduces();
  }

  Integer reducesDone() {
    return facts == null || isToPlan() ? null : (Integer) facts.reducesDone();
  }

  private boolean isToPlan() {
    return mode().equals("auto") && report != null && report.plan() == null && !state.isFinal();
  }

  boolean areMapsDone() {
    return facts != null && facts.maps() > 0 && facts.mapsDone() >= facts.maps();
  }

  Long reducedBytes() {
    return total(REDUCE_SHUFFLE_BYTES);
  }

  Long taskCpuMs() {
    return total(CPU);
  }

  /** A counter of all tasks; null where no source tells it. */
  private Long total(String name) {
    for (CounterFacts counter : counters) {
      if (counter.name().equals(name)) {
        return counter.total();
      }
    }
    return null;
  }

  Long submittedMs() {
    return app != null && app.submittedMs() > 0
        ? (Long) app.submittedMs()
        : facts == null ? null : some(facts.submittedMs());
  }

  Long startedMs() {
    return facts != null && facts.startedMs() > 0
        ? (Long) facts.startedMs()
        : app == null ? null : some(app.startedMs());
  }

  Long finishedMs() {
    if (!state.isFinal()) {
      return null;
    }
    return facts != null && facts.finishedMs() > 0
        ? (Long) facts.finishedMs()
        : app == null ? null : some(app.finishedMs());
  }

  /** From its start to its end, or until now; null where it has not begun. */
  Long wallMs() {
    Long started = startedMs();
    Long finished = finishedMs();
    return started == null ? null : (Long) ((finished == null ? nowMs : finished) - started);
  }

  String diagnostics() {
    String told = app == null ? "" : app.diagnostics();
    return told.isEmpty() && facts != null ? facts.diagnostics() : told;
  }

  private static Long some(long ms) {
    return ms > 0 ? (Long) ms : null;
  }
}
