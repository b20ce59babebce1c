package dev.sailfish.lineage.understore.call;

/** The one who waits for a call, as the call sees it. */
public interface Caller {
  /** Whether it waits no more: then nothing should be begun that it would not hear of. */
  boolean isGone();

  /**
   * Runs something that is quick and that touches what belongs to the caller, like its buffer. The
   * caller waits meanwhile, also beyond its deadline; it does not run when the caller has gone.
   */
  void deliver(Runnable delivery);
}
