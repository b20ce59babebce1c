package dev.sailfish.lineage.edge.recompute;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * How far a plan is: which steps can run, run, or wait for their next attempt. Who launches jobs
 * tells what becomes of them, and brings a new plan whenever files are lost or found, or somebody
 * asks for others:
 *
 * <pre>
 *   follow(plan) ──▶ ready(now) ──▶ started ──▶ done, failed(now) or inputsLost
 *       ▲                                          │
 *       └────── files were lost, found, wanted ────┘
 * </pre>
 *
 * <p>A new plan takes a time in proportion to its size; an event, one in proportion to the steps
 * that follow directly, and to the logarithm of all. The time is the caller's, in ns from any
 * beginning. For one thread.
 */
public final class Recomputation {
  private final Backoff backoff;
  private final Map<Long, StepProgress> steps = new LinkedHashMap<>(); // by dependency
  private final NavigableSet<StepProgress> ready =
      new TreeSet<>(
          Comparator.<StepProgress>comparingInt(one -> one.step().level())
              .thenComparingLong(StepProgress::order));
  private final NavigableSet<StepProgress> backingOff =
      new TreeSet<>(
          Comparator.comparingLong(StepProgress::notBeforeNs)
              .thenComparingLong(StepProgress::order));
  private long added;

  /** Nothing is to be recomputed. */
  public Recomputation(Backoff backoff) {
    this.backoff = backoff;
  }

  /**
   * Goes on with another plan, made of how things are now. Steps of both plans keep their attempts.
   * Jobs that run go on running; what one does not make, its step makes with another job. A step
   * that was given up stays so until it is {@link #retry tried again}.
   *
   * @return steps that run and are not needed any more, and are forgotten here: their jobs may be
   *     ended
   */
  public List<RecomputeStep> follow(RecomputePlan plan) {
    List<RecomputeStep> needless = new ArrayList<>();
    for (StepProgress progress : List.copyOf(steps.values())) {
      ready.remove(progress);
      Optional<RecomputeStep> step = plan.step(progress.step().id());
      if (step.isPresent()) {
        keep(progress, step.get());
      } else {
        if (progress.state() == StepState.RUNNING) {
          needless.add(progress.step());
        }
        drop(progress);
      }
    }
    for (RecomputeStep step : plan.steps()) {
      steps.computeIfAbsent(step.id(), id -> new StepProgress(step, added++));
    }
    link(plan);
    return needless;
  }

  private void keep(StepProgress progress, RecomputeStep step) {
    progress.plan(step);
    if (progress.state() == StepState.DONE) {
      progress.forgetFailures();
      progress.move(StepState.WAITING);
    } else if (progress.state() == StepState.READY) {
      progress.move(StepState.WAITING);
    }
  }

  private void drop(StepProgress progress) {
    backingOff.remove(progress);
    progress.move(StepState.DROPPED);
    steps.remove(progress.step().id());
  }

  /** Counts for each step of the plan how many it waits for. */
  private void link(RecomputePlan plan) {
    steps.values().forEach(StepProgress::unlink);
    for (RecomputeStep step : plan.steps()) {
      StepProgress progress = steps.get(step.id());
      step.after().forEach(before -> progress.waitFor(steps.get(before)));
    }
    steps.values().forEach(this::readyIfPossible);
  }

  private void readyIfPossible(StepProgress progress) {
    if (progress.state() == StepState.WAITING && progress.hasInputs()) {
      progress.move(StepState.READY);
      ready.add(progress);
    }
  }

  /** Steps that can be launched now; of lower levels first. */
  public List<RecomputeStep> ready(long nowNs) {
    while (!backingOff.isEmpty() && backingOff.first().notBeforeNs() <= nowNs) {
      StepProgress progress = backingOff.pollFirst();
      progress.move(StepState.WAITING);
      readyIfPossible(progress);
    }
    return ready.stream().map(StepProgress::step).toList();
  }

  /** When the next step that failed can be launched again, in ns; empty if none waits for that. */
  public OptionalLong nextAttemptNs() {
    return backingOff.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(backingOff.first().notBeforeNs());
  }

  /**
   * A job of a step was launched.
   *
   * @throws IllegalStateException it is not ready
   */
  public void started(long dependency) {
    StepProgress progress = required(dependency);
    progress.move(StepState.RUNNING);
    ready.remove(progress);
  }

  /**
   * The job has made its outputs: steps that waited for them alone are ready. Nothing happens if
   * the step is not needed any more.
   *
   * @throws IllegalStateException no job of it runs
   */
  public void done(long dependency) {
    StepProgress progress = steps.get(dependency);
    if (progress == null) {
      return;
    }
    boolean madeAll = progress.makesAllThatIsPlanned();
    progress.move(StepState.DONE);
    progress.forgetFailures();
    if (madeAll) {
      for (StepProgress follower : progress.followers()) {
        follower.inputMade();
        readyIfPossible(follower);
      }
    } else {
      progress.move(StepState.WAITING);
      readyIfPossible(progress);
    }
  }

  /**
   * The job has failed, for another reason than lost inputs. Nothing happens if the step is not
   * needed any more.
   *
   * @param cause a sentence for people
   * @throws IllegalStateException no job of it runs
   */
  public void failed(long dependency, long nowNs, String cause) {
    StepProgress progress = steps.get(dependency);
    if (progress == null) {
      return;
    }
    int failures = progress.failures() + 1;
    boolean last = failures >= backoff.attempts();
    progress.move(last ? StepState.GIVEN_UP : StepState.BACKING_OFF);
    progress.countFailure(cause, nowNs + backoff.waitNs(failures));
    if (!last) {
      backingOff.add(progress);
    }
  }

  /**
   * The job has failed, and would each time: the step is given up. Nothing happens if it is not
   * needed any more.
   *
   * @param cause a sentence for people
   * @throws IllegalStateException no job of it runs
   */
  public void failedForGood(long dependency, String cause) {
    StepProgress progress = steps.get(dependency);
    if (progress != null) {
      progress.move(StepState.GIVEN_UP);
      progress.countFailure(cause, StepProgress.AT_ONCE);
    }
  }

  /**
   * The job has ended because inputs were lost again, which is no failure of its own. The plan that
   * recomputes these has to be followed before, or the step is ready at once. Nothing happens if
   * the step is not needed any more.
   *
   * @throws IllegalStateException no job of it runs
   */
  public void inputsLost(long dependency) {
    StepProgress progress = steps.get(dependency);
    if (progress == null) {
      return;
    }
    if (progress.state() != StepState.RUNNING) {
      throw new IllegalStateException(
          "dependency %016x is %s: no job of it can lose inputs"
              .formatted(dependency, progress.state()));
    }
    progress.move(StepState.WAITING);
    readyIfPossible(progress);
  }

  /**
   * Gives all its attempts again to a step that was given up.
   *
   * @throws IllegalStateException it was not
   */
  public void retry(long dependency) {
    StepProgress progress = required(dependency);
    if (progress.state() != StepState.GIVEN_UP) {
      throw new IllegalStateException(
          "dependency %016x is %s, and was not given up".formatted(dependency, progress.state()));
    }
    progress.forgetFailures();
    progress.move(StepState.WAITING);
    readyIfPossible(progress);
  }

  /** All steps, in the order of the plans; changes with them. */
  public Collection<StepProgress> steps() {
    return Collections.unmodifiableCollection(steps.values());
  }

  /** How far a dependency is, if it has to run. */
  public Optional<StepProgress> step(long dependency) {
    return Optional.ofNullable(steps.get(dependency));
  }

  private StepProgress required(long dependency) {
    StepProgress progress = steps.get(dependency);
    if (progress == null) {
      throw new IllegalStateException("dependency %016x has no step".formatted(dependency));
    }
    return progress;
  }
}
