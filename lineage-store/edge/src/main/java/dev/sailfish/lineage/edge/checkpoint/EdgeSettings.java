package dev.sailfish.lineage.edge.checkpoint;

/**
 * How {@link EdgePolicy} decides.
 *
 * @param edgeShare the part of the checkpoint time that the edge gets while hot files wait too,
 *     above 0 and at most 1: c of Corollary 2 of the paper
 * @param hotReads a file that was read more often is hot; {@link #NO_HOT_FILES}: none is
 * @param isPatient whether a leaf's place is taken by what is made of it before its turn, and the
 *     next file of a chain is waited for where that is better; if not, the edge is written as in
 *     the paper
 */
public record EdgeSettings(double edgeShare, int hotReads, boolean isPatient) {
  /** In place of a number of reads: reads do not count. */
  public static final int NO_HOT_FILES = Integer.MAX_VALUE;

  /** Half of the time for the edge, and files that were read more than twice are hot (4.1). */
  public static final EdgeSettings DEFAULT = new EdgeSettings(0.5, 2, true);

  /** The edge alone, by the paper's letter: Theorem 1. */
  public static final EdgeSettings LEAVES_ALONE = new EdgeSettings(1, NO_HOT_FILES, false);

  /** The edge alone, with patience. */
  public static final EdgeSettings PATIENT_LEAVES = new EdgeSettings(1, NO_HOT_FILES, true);

  public EdgeSettings {
    if (!(edgeShare > 0 && edgeShare <= 1)) {
      throw new IllegalArgumentException("edgeShare is above 0 and at most 1, not " + edgeShare);
    }
    if (hotReads < 0) {
      throw new IllegalArgumentException("hotReads is at least 0, not " + hotReads);
    }
  }
}
