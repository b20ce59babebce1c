package dev.sailfish.workflow.share;

/**
 * By what YARN's scheduler decides who gets containers.
 *
 * @param highest the highest priority that an application may have; 0: priorities are not used
 */
public record Scheduling(Kind kind, int highest) {
  /** The two kinds of schedulers that the paper treats. */
  public enum Kind {
    /** Strict priorities of applications: the CapacityScheduler. */
    PRIORITIES,
    /** Weighted fair sharing, with priorities that cannot be changed: the FairScheduler. */
    SHARES
  }

  /** Whether an important application can be served before others. */
  public boolean hasPriorities() {
    return kind == Kind.PRIORITIES && highest > 0;
  }
}
