package dev.sailfish.lineage.edge.recompute;

/**
 * A file that is LOST for ever, and why.
 *
 * @param fid the file
 * @param cause why
 * @param culprit the file with which that begins: itself, or one that it is made of
 */
public record Unrecoverable(long fid, Cause cause, long culprit) {
  /** What makes recomputation impossible. */
  public enum Cause {
    /** Nothing says how the culprit was made. */
    NO_LINEAGE,
    /** The culprit is made of itself; such lineage is never recorded, so it is damaged. */
    CYCLE
  }

  @Override
  public String toString() {
    String why =
        cause == Cause.NO_LINEAGE
            ? "file %016x is not available and has no lineage"
            : "file %016x is made of itself";
    return "file %016x is LOST: ".formatted(fid) + why.formatted(culprit);
  }
}
