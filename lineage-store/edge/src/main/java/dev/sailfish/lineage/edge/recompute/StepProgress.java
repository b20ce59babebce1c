package dev.sailfish.lineage.edge.recompute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One step of a {@link Recomputation}, and how far it is. */
public final class StepProgress {
  /** In place of a time: at once. */
  static final long AT_ONCE = Long.MIN_VALUE;

  private final long order;
  private final List<StepProgress> followers = new ArrayList<>();
  private RecomputeStep step;
  private RecomputeStep planned;
  private StepState state = StepState.WAITING;
  private int missing;
  private int failures;
  private long notBeforeNs = AT_ONCE;
  private String lastFailure;

  /**
   * A step that waits.
   *
   * @param order its number among all steps
   */
  StepProgress(RecomputeStep step, long order) {
    this.step = step;
    planned = step;
    this.order = order;
  }

  /** What runs, or will run. */
  public RecomputeStep step() {
    return step;
  }

  /** How far it is. */
  public StepState state() {
    return state;
  }

  /** Attempts that have failed since it was last done, given up, or new. */
  public int failures() {
    return failures;
  }

  /** What was said of the attempt that failed last; empty if none did. */
  public Optional<String> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  long order() {
    return order;
  }

  long notBeforeNs() {
    return notBeforeNs;
  }

  List<StepProgress> followers() {
    return followers;
  }

  /** All steps before it are done. */
  boolean hasInputs() {
    return missing == 0;
  }

  /** The steps before it will be counted anew. */
  void unlink() {
    followers.clear();
    missing = 0;
  }

  /** Comes after another one, which is not done. */
  void waitFor(StepProgress before) {
    before.followers.add(this);
    missing++;
  }

  /** One of the steps before it is done. */
  void inputMade() {
    missing--;
  }

  /** What the plan of now wants; a job that runs goes on with what it was launched for. */
  void plan(RecomputeStep next) {
    planned = next;
    if (state != StepState.RUNNING) {
      step = next;
    }
  }

  /** What runs makes all that the plan of now wants. */
  boolean makesAllThatIsPlanned() {
    return step.outputs().containsAll(planned.outputs());
  }

  void countFailure(String cause, long nextNotBeforeNs) {
    failures++;
    lastFailure = cause;
    notBeforeNs = nextNotBeforeNs;
  }

  void forgetFailures() {
    failures = 0;
    notBeforeNs = AT_ONCE;
  }

  /**
   * Goes into another state.
   *
   * @throws IllegalStateException it cannot follow
   */
  void move(StepState next) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "dependency %016x: %s cannot follow %s".formatted(step.id(), next, state));
    }
    state = next;
    if (next == StepState.WAITING) {
      step = planned;
    }
  }
}
