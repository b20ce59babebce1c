package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import dev.sailfish.workflow.share.Allotment;

/** A step that was begun and is followed. For one thread. */
final class Run {
  private final RecomputeStep step;
  private final boolean adopted;
  private Allotment allotment;
  private StepLook look = StepLook.starting();
  private long fedNs;

  /**
   * @param adopted an earlier manager has begun it
   * @param nowNs when it was begun
   */
  Run(RecomputeStep step, Allotment allotment, boolean adopted, long nowNs) {
    this.step = step;
    this.allotment = allotment;
    this.adopted = adopted;
    fedNs = nowNs;
  }

  /** What it is to make. */
  RecomputeStep step() {
    return step;
  }

  /** Whether an earlier manager has begun it: it may make less than is wanted now. */
  boolean isAdopted() {
    return adopted;
  }

  /** With what it runs. */
  Allotment allotment() {
    return allotment;
  }

  /** It runs with another priority, queue or share from now on. */
  void allot(Allotment next) {
    allotment = next;
  }

  /** How far it is, as far as is known. */
  StepLook look() {
    return look;
  }

  /**
   * What is seen of it now.
   *
   * @throws IllegalStateException that cannot follow
   */
  void see(StepLook next) {
    if (!next.state().mayFollow(look.state())) {
      throw new IllegalStateException(
          "step of dependency %016x: %s cannot follow %s"
              .formatted(step.id(), next.state(), look.state()));
    }
    look = next;
  }

  /** It has got containers, or some were taken away from others for it. */
  void fed(long nowNs) {
    fedNs = nowNs;
  }

  /** For how long it has got none, in ns. */
  long hungryNs(long nowNs) {
    return nowNs - fedNs;
  }
}
