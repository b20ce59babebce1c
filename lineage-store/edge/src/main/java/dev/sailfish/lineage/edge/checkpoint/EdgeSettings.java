package dev.sailfish.lineage.edge.checkpoint;

/**
 * How {@link EdgePolicy} decides.
 *
 * @param edgeShare the part of the checkpoint time that the edge gets while hot files wait too,
 *     above 0 and at most 1: c of Corollary 2 of the paper
 * @param hotReads a file that was read more often is hot; {@link #NO_HOT_FILES}: none is
 */
public record EdgeSettings(double edgeShare, int hotReads) {
  /** In place of a number of reads: reads do not count. */
  public static final int NO_HOT_FILES = Integer.MAX_VALUE;

  /** Half of the time for the edge, and files that were read more than twice are hot (4.1). */
  public static final EdgeSettings DEFAULT = new EdgeSettings(0.5, 2);

  /** The edge alone: Theorem 1 of the paper. */
  public static final EdgeSettings LEAVES_ALONE = new EdgeSettings(1, NO_HOT_FILES);

  public EdgeSettings {
    if (!(edgeShare > 0 && edgeShare <= 1)) {
      throw new IllegalArgumentException("edgeShare is above 0 and at most 1, not " + edgeShare);
    }
    if (hotReads < 0) {
      throw new IllegalArgumentException("hotReads is at least 0, not " + hotReads);
    }
  }
}
