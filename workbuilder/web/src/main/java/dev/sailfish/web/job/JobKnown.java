package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.ShuffleData;
import dev.sailfish.web.source.shuffle.ShuffleFacts;
import dev.sailfish.web.source.yarn.AppFacts;
import dev.sailfish.web.source.yarn.ConfigurationFacts;
import dev.sailfish.web.source.yarn.CounterFacts;
import dev.sailfish.web.source.yarn.JobFacts;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    ConfigurationFacts configuration,
    ShuffleFacts shuffle,
    ShuffleData data,
    List<TaskFacts> tasks,
    List<CounterFacts> counters,
    AmReport report,
    long nowMs) {
  private static final String REDUCE_SHUFFLE_BYTES = "REDUCE_SHUFFLE_BYTES";
  static final String UNKNOWN_MODE = "unknown";
  private static final Pattern TASK = Pattern.compile("\\btask_\\d+_\\d+_[mr]_\\d+\\b");

  private static final long US_PER_MS = 1_000;
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
    if (facts != null && facts.diagnostics().contains("Reduce work: ")) {
      return "auto";
    }
    return isOfPlugIn() ? "plug-in" : UNKNOWN_MODE;
  }

  /**
   * Whether its maps have appended, and its ApplicationMaster is stock's. Where the metaserver was
   * not heard of the job, its configuration says what was wanted, not what was done.
   */
  private boolean isOfPlugIn() {
    return shuffle != null
        && configuration != null
        && configuration.collects()
        && !configuration.master();
  }

  /** Who may see it besides its owner, as far as that is known; null: it is not. */
  String viewAcl() {
    String told = facts == null ? null : facts.viewAcl();
    // Of a job of YARN's the metaserver has to say whose it is first: another may report, too.
    boolean counts = report != null && (app == null || shuffle != null);
    return told == null && counts ? report.viewAcl() : told;
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

  Long sortCpuMs() {
    return data == null || data.sortCpuUs() == 0 ? null : (Long) (data.sortCpuUs() / US_PER_MS);
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

  /** What the ApplicationMaster said last of a failure, else what YARN has; may be empty. */
  String failure() {
    if (report != null) {
      List<AmReport.Event> events = report.events();
      for (int i = events.size() - 1; i >= 0; i--) {
        if ("FAILED".equals(events.get(i).kind()) && events.get(i).text() != null) {
          return events.get(i).text();
        }
      }
    }
    return diagnostics();
  }

  /** The task of which the job has failed; empty: it has not, or no task is named. */
  Optional<String> culprit() {
    Matcher task = TASK.matcher(failure());
    return state == JobState.FAILED && task.find() ? Optional.of(task.group()) : Optional.empty();
  }

  private static Long some(long ms) {
    return ms > 0 ? (Long) ms : null;
  }
}
