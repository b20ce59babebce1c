package dev.sailfish.lineage.edge.recompute;

/** When a lost file is recomputed (section 2.6 of the earlier paper). */
public enum RecoveryModel {
  /** Permanent files at once, temporary ones when somebody asks for them. */
  PROACTIVE,
  /** All of them when somebody asks for them. */
  REACTIVE;

  /**
   * Whether a lost file is to be recomputed for its own sake.
   *
   * @param temporary as {@link TemporaryFiles} says
   * @param requested somebody waits for it
   */
  public boolean wants(boolean temporary, boolean requested) {
    return requested || this == PROACTIVE && !temporary;
  }
}
