package dev.sailfish.web.job;

import dev.sailfish.web.job.JobDetail.Straggler;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.SourceView;
import dev.sailfish.web.source.shuffle.IfileRow;
import dev.sailfish.web.source.shuffle.ShuffleData;
import dev.sailfish.web.source.shuffle.ShuffleFacts;
import dev.sailfish.web.source.yarn.AppFacts;
import dev.sailfish.web.source.yarn.AttemptFacts;
import dev.sailfish.web.source.yarn.ConfigurationFacts;
import dev.sailfish.web.source.yarn.CounterFacts;
import dev.sailfish.web.source.yarn.JobFacts;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A job that lives or ended a moment ago: what each source told of it last, and how far it was
 * when. Thread-safe; nothing waits but for another thread to copy a few fields.
 */
public final class Job {
  /** A counter that is no amount, and has more digits than browsers compute with. */
  private static final String CHECKSUM = "PIECE_CHECKSUM";

  private final String id;
  private final Progress progress = new Progress();
  private final Map<Integer, WorkActual> actuals = new HashMap<>();
  private final Map<String, AttemptFacts> attempts = new HashMap<>();
  private AppFacts app;
  private JobFacts facts;
  private ConfigurationFacts configuration;
  private ShuffleFacts shuffle;
  private ShuffleData data;
  private List<TaskFacts> tasks = List.of();
  private List<CounterFacts> counters = List.of();
  private AmReport report;
  private JobDetail.Previous previous;
  private String previousAcl; // who may see the run before
  private boolean isPreviousAsked;
  private JobState gone; // not null: the metaserver alone knew the job, and does no more
  private long heardMs;

  Job(String id) {
    this.id = id;
  }

  /**
   * Its id, {@code job_…} where it is one of YARN's, and at the metaserver, if that knows it. One
   * with a tilde is a job by itself, and none of YARN's.
   */
  public String id() {
    return id;
  }

  // ---- what sources tell; the time is that of the answer, in milliseconds since 1970

  synchronized void tell(AppFacts told, long nowMs) {
    app = told;
    heard(nowMs);
  }

  synchronized void tell(JobFacts told, long nowMs) {
    facts = told;
    heard(nowMs);
  }

  synchronized void tell(ConfigurationFacts told) {
    configuration = told;
  }

  synchronized void tell(ShuffleFacts told, long nowMs) {
    if (shuffle != null && !shuffle.user().equals(told.user())) {
      report = null;
      data = null;
    }
    shuffle = told;
    gone = null;
    heard(nowMs);
  }

  synchronized void tell(ShuffleData told, long nowMs) {
    if (!told.ifiles().isEmpty() || data == null) {
      data = told;
    }
    heard(nowMs);
  }

  synchronized void tellTasks(List<TaskFacts> told, long nowMs) {
    if (!told.isEmpty()) {
      tasks = List.copyOf(told);
    }
    heard(nowMs);
  }

  synchronized void tellCounters(List<CounterFacts> told, long nowMs) {
    if (!told.isEmpty()) {
      counters = List.copyOf(told);
    }
    heard(nowMs);
  }

  synchronized void tellActual(int work, WorkActual told) {
    actuals.put(work, told);
  }

  synchronized void tell(String task, AttemptFacts told) {
    attempts.put(task, told);
  }

  synchronized void tell(AmReport told, long nowMs) {
    boolean newer =
        report == null
            || told.attempt() > report.attempt()
            || told.attempt() == report.attempt() && told.sequence() > report.sequence();
    if (newer) {
      // A later attempt of the ApplicationMaster may not have the plan of the one before (yet).
      report = told.plan() == null && report != null ? withPlan(told, report.plan()) : told;
    }
    heard(nowMs);
  }

  private static AmReport withPlan(AmReport report, AmReport.Plan plan) {
    return new AmReport(
        report.version(),
        report.sequence(),
        report.job(),
        report.attempt(),
        report.mode(),
        report.why(),
        report.planningMs(),
        plan,
        report.events(),
        report.eventsLeftOut(),
        report.ended(),
        report.viewAcl());
  }

  /** The metaserver does not know it any more. */
  synchronized void tellGone() {
    gone = JobState.UNKNOWN;
  }

  /** YARN does not know it any more, and never said how it ended. */
  synchronized void tellForgotten() {
    app =
        new AppFacts(
            app.id(),
            app.name(),
            app.user(),
            app.queue(),
            JobState.UNKNOWN,
            app.submittedMs(),
            app.startedMs(),
            heardMs,
            app.diagnostics(),
            app.progress());
  }

  synchronized void tell(JobDetail.Previous run) {
    previous = run;
  }

  private void heard(long nowMs) {
    heardMs = Math.max(heardMs, nowMs);
    progress.at(point(nowMs));
  }

  private JobDetail.Point point(long nowMs) {
    JobKnown known = known(nowMs);
    Long reduced = known.reducedBytes();
    return new JobDetail.Point(
        nowMs,
        facts == null ? progress.mapsDone() : facts.mapsDone(),
        known.shuffle() == null ? 0 : known.shuffle().appendedBytes(),
        known.data() == null ? 0 : known.data().sortedBytes(),
        reduced == null ? 0 : reduced,
        facts == null ? 0 : facts.reducesDone());
  }

  /** No source tells more of it. */
  synchronized void end(long nowMs) {
    progress.end(point(nowMs));
  }

  /** How far it was, as an earlier process has seen it; before anything else is told. */
  synchronized void restore(List<JobDetail.Point> points) {
    progress.restore(points);
  }

  /** How far it was when. */
  synchronized List<JobDetail.Point> series() {
    return progress.points();
  }

  /** Whether a report is the newest one that is known, or one before it. */
  synchronized boolean knows(int attempt, long sequence) {
    return report != null
        && (report.attempt() > attempt
            || report.attempt() == attempt && report.sequence() >= sequence);
  }

  // ---- what is asked

  private JobKnown known(long nowMs) {
    boolean strange = isStrange();
    return new JobKnown(
        id,
        stateNow(),
        app,
        facts,
        configuration,
        strange ? null : shuffle,
        strange ? null : data,
        tasks,
        counters,
        strange ? null : report,
        nowMs);
  }

  /**
   * Whether another user took the job's name at the metaserver before the job came: what that
   * knows, and what was reported, is of his job.
   */
  private boolean isStrange() {
    return app != null && shuffle != null && !shuffle.user().equals(app.user());
  }

  /** How it is, as far as sources tell; of a job that YARN knows, YARN says that it has ended. */
  public synchronized JobState state() {
    return stateNow();
  }

  private JobState stateNow() {
    if (app != null && app.state().isFinal()) {
      return app.state();
    }
    if (facts != null && facts.state().isFinal()) {
      return facts.state();
    }
    if (app != null) {
      return app.state();
    }
    if (report != null && report.ended() != null) {
      return JobState.of(report.ended());
    }
    return gone != null ? gone : JobState.RUNNING;
  }

  /** Whether YARN knows it, so that nothing else says when it has ended. */
  synchronized boolean isOfYarn() {
    return app != null;
  }

  /** Whose it is; empty where no source tells. */
  public synchronized String user() {
    return app != null
        ? app.user()
        : facts != null ? facts.user() : shuffle == null ? "" : shuffle.user();
  }

  synchronized String name() {
    return facts != null ? facts.name() : app != null ? app.name() : id;
  }

  /** Whether the metaserver has ever told of it. */
  synchronized boolean chunksWereSeen() {
    return shuffle != null;
  }

  /**
   * Whether an earlier run is to be looked for: when its name is known, and again when others may
   * see it than before.
   */
  synchronized boolean wantsPrevious() {
    String acl = viewAcl();
    boolean asked = isPreviousAsked && Objects.equals(acl, previousAcl);
    boolean wants = !asked && (app != null || facts != null);
    if (wants) {
      isPreviousAsked = true;
      previousAcl = acl;
      previous = null;
    }
    return wants;
  }

  /** The run before; null for those who may see this one, and perhaps not that one. */
  private JobDetail.Previous shownPrevious() {
    return Objects.equals(previousAcl, viewAcl()) ? previous : null;
  }

  /** Who may see it besides its owner, as far as that is known; null: it is not. */
  public synchronized String viewAcl() {
    return known(heardMs).viewAcl();
  }

  /** Whether its configuration says what nothing else does. */
  synchronized boolean wantsConfiguration(long nowMs) {
    return configuration == null
        && known(nowMs).shuffle() != null
        && known(nowMs).mode().equals(JobKnown.UNKNOWN_MODE);
  }

  synchronized List<TaskFacts> tasks() {
    return tasks;
  }

  /** Reduce tasks that have succeeded and of which nobody knows yet what they read. */
  synchronized List<TaskFacts> unread() {
    return tasks.stream()
        .filter(
            task ->
                !task.map()
                    && task.phase() == TaskFacts.Phase.DONE
                    && !actuals.containsKey(task.number()))
        .toList();
  }

  /** Slow tasks, and the one that the job failed of, whose attempts nobody has told yet. */
  synchronized List<String> unplaced(long nowMs) {
    JobKnown known = known(nowMs);
    Stream<String> slow =
        Stragglers.of(known, attempts).stream()
            .map(Straggler::task)
            .filter(task -> !attempts.containsKey(task));
    // It may have been told of while it ran.
    Stream<String> failed = known.culprit().filter(task -> cause(known).isEmpty()).stream();
    return Stream.concat(failed, slow).distinct().toList();
  }

  /** What the task said that the job failed of; empty where that is not known (yet). */
  private String cause(JobKnown known) {
    return known.culprit().map(attempts::get).map(AttemptFacts::diagnostics).orElse("");
  }

  /** What its ApplicationMaster has told; null: nothing. */
  public synchronized AmReport report() {
    return isStrange() ? null : report;
  }

  /** Its I-files; none where the metaserver has told of none. */
  public synchronized List<IfileRow> ifiles() {
    return data == null || isStrange() ? List.of() : data.ifiles();
  }

  /** When a source told of it last, in milliseconds since 1970. */
  public synchronized long heardMs() {
    return heardMs;
  }

  /** Its reduce work. */
  public synchronized PlanView plan(long nowMs) {
    return PlanViews.of(known(nowMs), actuals, heardMs);
  }

  /** How it is shown in a list. */
  public synchronized JobRow row(long nowMs) {
    JobKnown known = known(nowMs);
    return row(known, Stragglers.of(known, attempts));
  }

  private JobRow row(JobKnown known, List<Straggler> stragglers) {
    Verdict verdict = Verdict.of(known, stragglers, cause(known), shownPrevious());
    boolean shuffles = known.shuffle() != null;
    return new JobRow(
        id,
        AppFacts.applicationOf(id),
        known.name(),
        user(),
        known.queue(),
        known.state().name(),
        known.mode(),
        known.maps(),
        known.mapsDone(),
        known.reduces(),
        known.reducesDone(),
        shuffles ? (Long) progress.appendedBytes() : null,
        shuffles ? (Long) progress.sortedBytes() : null,
        known.reducedBytes(),
        known.submittedMs(),
        known.startedMs(),
        finishedMs(known),
        verdict.level(),
        verdict.text(),
        heardMs,
        known.viewAcl());
  }

  /** A job that only the metaserver knew ended about when that was heard last. */
  private Long finishedMs(JobKnown known) {
    Long told = known.finishedMs();
    return told == null && known.state().isFinal() ? (Long) heardMs : told;
  }

  /**
   * All that is known of it.
   *
   * @param links to pages about it
   * @param sources how those are that tell of it
   */
  public synchronized JobDetail detail(
      long nowMs, JobDetail.Links links, List<SourceView> sources) {
    JobKnown known = known(nowMs);
    List<Straggler> stragglers = Stragglers.of(known, attempts);
    AmReport.Plan plan = known.plan();
    List<JobDetail.CounterRow> rows = new ArrayList<>();
    for (CounterFacts counter : counters) {
      if (!counter.name().equals(CHECKSUM)) {
        rows.add(
            new JobDetail.CounterRow(
                counter.group(),
                counter.name(),
                StockNames.beside(counter.name()),
                counter.map(),
                counter.reduce(),
                counter.total()));
      }
    }
    return new JobDetail(
        row(known, stragglers),
        Phases.of(known, progress),
        progress.points(),
        rows,
        new JobDetail.Cost(known.taskCpuMs(), known.sortCpuMs(), known.wallMs()),
        shownPrevious(),
        plan == null ? List.of() : plan.heavyKeys(),
        known.report() == null ? List.of() : known.report().events(),
        known.report() == null ? 0 : known.report().eventsLeftOut(),
        stragglers,
        links,
        sources);
  }
}
