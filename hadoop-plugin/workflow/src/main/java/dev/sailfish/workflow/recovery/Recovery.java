package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.Recomputation;
import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputePlanner;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import dev.sailfish.lineage.edge.recompute.StepProgress;
import dev.sailfish.lineage.edge.recompute.StepState;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.workflow.recovery.StepLook.State;
import dev.sailfish.workflow.share.ApplicationLook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings lost files back: looks at what is lost and who waits for it, plans, has steps begun and
 * follows them. It is done in rounds, each of which sees what is so now, so that a round that fails
 * is made good by the next one. A step is done when the master says that its outputs are there,
 * whatever its application does.
 *
 * <p>One object is one time of leading: what others have begun is adopted in its first rounds, and
 * what it has begun is left to whom leads next. For one thread.
 */
public final class Recovery {
  private static final Set<StepState> OPEN =
      EnumSet.of(StepState.WAITING, StepState.READY, StepState.BACKING_OFF);

  private final RecoverySettings settings;
  private final RecordStore store;
  private final Cluster cluster;
  private final LineageView view;
  private final Recomputation recomputation;
  private final Interest interest = new Interest();
  private final Planning planning;
  private final GivingUp givingUp;
  private final Runs runs;
  private final Resources resources;
  private RecomputePlan plan;
  private Map<Long, ApplicationLook> inherited; // applications of earlier managers, by dependency
  private long begunNs;
  private long succeeded;
  private long failed;

  /** Nothing is known yet. */
  public Recovery(RecoverySettings settings, RecordStore store, Steps steps, Cluster cluster) {
    this.settings = settings;
    this.store = store;
    this.cluster = cluster;
    view = new LineageView(store);
    recomputation = new Recomputation(settings.backoff());
    planning = new Planning(settings, view);
    givingUp = new GivingUp(store, settings.waits().unrecoverableNs());
    runs = new Runs(settings.name(), steps);
    resources = new Resources(settings, cluster);
    plan = new RecomputePlanner(view).plan(List.of());
  }

  /**
   * One round.
   *
   * @param nowNs from any beginning
   * @throws IOException when the store or YARN does not answer
   */
  public void round(long nowNs) throws IOException {
    try {
      see(nowNs);
      leaveWhatIsMade(nowNs);
      List<Run> ended = runs.ended();
      if (!ended.isEmpty() || planning.isDue(nowNs)) {
        follow(nowNs);
      }
      for (Run run : ended) {
        settle(run, nowNs);
      }
      givingUp.unrecoverable(plan.unrecoverable(), planning.lost(), nowNs);
      givingUp.failed(recomputation.steps(), planning.lost());
      resources.look(plan, runnable(nowNs), runs.wanted(), interest);
      report();
      resources.inherit(runs.wanted());
      start(nowNs);
      resources.feed(runs.wanted(), nowNs);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void see(long nowNs) throws IOException {
    if (inherited == null) {
      inherited = new HashMap<>(cluster.recomputes());
      begunNs = nowNs;
    }
    // The steps first: one that has ended well has made its outputs before.
    runs.look(nowNs);
    List<LostFile> lost = store.lost();
    interest.see(lost, nowNs);
    planning.see(lost, interest);
  }

  private void leaveWhatIsMade(long nowNs) throws IOException {
    for (Run run : List.copyOf(runs.wanted())) {
      long dependency = run.step().id();
      if (isMade(run.step())) {
        recomputation.done(dependency);
        runs.leave(dependency, nowNs);
        succeeded++;
        planning.outdated();
      }
    }
  }

  private boolean isMade(RecomputeStep step) throws IOException {
    if (step.outputs().stream().anyMatch(planning.lost()::containsKey)) {
      return false;
    }
    Optional<DependencyRecord> record = store.record(step.id());
    return record.isEmpty() || LineageView.isMade(record.get(), step.outputs());
  }

  /** Goes on with a plan of how things are now. */
  private void follow(long nowNs) throws IOException {
    planning.outdated(); // if this is not done to its end
    plan = planning.plan(nowNs, givingUp.forInputs());
    for (RecomputeStep needless : recomputation.follow(plan)) {
      runs.end(needless.id(), nowNs);
    }
    givingUp.plan(plan, planning.lost(), nowNs);
    if (nowNs - begunNs >= RecoverySettings.Waits.INTEREST_NS) {
      endInherited();
    }
  }

  /** Nobody wants what is left of them: who waits was heard meanwhile. */
  private void endInherited() throws IOException {
    for (Map.Entry<Long, ApplicationLook> one : Map.copyOf(inherited).entrySet()) {
      if (plan.step(one.getKey()).isEmpty()) {
        cluster.kill(one.getValue().id());
        inherited.remove(one.getKey());
      }
    }
  }

  /** An application has ended, and has not made all its outputs. */
  private void settle(Run run, long nowNs) {
    long dependency = run.step().id();
    if (runs.wanted(dependency).isEmpty()) {
      return; // nobody needs it any more
    }
    StepLook look = run.look();
    boolean hasLostInputs = !run.step().inputs().stream().allMatch(view::isAvailable);
    boolean hadLessToMake = run.isAdopted() && look.state() == State.SUCCEEDED;
    if (hasLostInputs || hadLessToMake) {
      recomputation.inputsLost(dependency);
    } else if (look.hopeless()) {
      failed++;
      recomputation.failedForGood(dependency, look.cause());
    } else {
      failed++;
      recomputation.failed(dependency, nowNs, cause(run.step(), look));
    }
    runs.leave(dependency, nowNs);
  }

  private String cause(RecomputeStep step, StepLook look) {
    if (look.state() == State.FAILED) {
      return look.cause();
    }
    boolean isDifferent =
        view.record(step.id()).map(DependencyRecord::getNondeterministic).orElse(false);
    return look.application()
        + (isDifferent
            ? " made other bytes than the first time: the program does not give the same ones again"
            : " ended well and did not write all files that it was run for");
  }

  private Set<Long> runnable(long nowNs) {
    Set<Long> runnable = new HashSet<>();
    recomputation.ready(nowNs).forEach(step -> runnable.add(step.id()));
    runs.wanted().forEach(run -> runnable.add(run.step().id()));
    runnable.removeIf(id -> plan.step(id).isEmpty());
    return runnable;
  }

  private void report() throws IOException {
    for (StepProgress progress : recomputation.steps()) {
      if (resources.isWaitedFor(progress.step().id())) {
        store.report(progress.step().id(), text(progress));
      }
    }
  }

  private String text(StepProgress progress) {
    return ProgressText.of(
        progress, runs.wanted(progress.step().id()), settings.backoff().attempts());
  }

  private void start(long nowNs) {
    List<RecomputeStep> ready = new ArrayList<>(recomputation.ready(nowNs));
    ready.removeIf(step -> !runs.isFree(step.id()));
    ready.sort( // stable
        Comparator.comparing((RecomputeStep step) -> !resources.isWaitedFor(step.id()))
            .thenComparing(step -> -resources.allotment(step.id()).priority()));
    for (RecomputeStep step : ready) {
      boolean isInherited = inherited.containsKey(step.id());
      if (isInherited || runs.wanted().size() < settings.atOnce()) {
        start(step, nowNs);
      }
    }
  }

  private void start(RecomputeStep step, long nowNs) {
    Optional<DependencyRecord> record = view.record(step.id());
    if (record.isEmpty()) {
      planning.outdated();
      return;
    }
    Optional<String> application =
        Optional.ofNullable(inherited.remove(step.id()))
            .filter(one -> one.user().equals(record.get().getOwner()))
            .map(ApplicationLook::id);
    runs.start(step, record.get(), resources.allotment(step.id()), application, nowNs);
    recomputation.started(step.id());
  }

  /** Forgets what runs and leaves it as it is, for whom leads next. */
  public void close() {
    runs.forgetAll();
  }

  /** How it is since the last round. */
  public RecoveryStatus status() {
    List<RecoveryStatus.Line> lines = new ArrayList<>();
    long waiting = 0;
    for (StepProgress progress : recomputation.steps()) {
      if (OPEN.contains(progress.state())) {
        waiting++;
      }
      if (progress.state() != StepState.DONE) {
        RecomputeStep step = progress.step();
        lines.add(new RecoveryStatus.Line(step.id(), step.outputs().size(), text(progress)));
      }
    }
    long givenUp =
        planning.lost().values().stream().filter(file -> !file.getGivenUp().isEmpty()).count();
    return new RecoveryStatus(
        planning.lost().size(),
        givenUp,
        waiting,
        runs.wanted().size(),
        succeeded,
        failed,
        resources.taken(),
        resources.obstacle().orElse(""),
        lines);
  }
}
