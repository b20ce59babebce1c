package dev.sailfish.lineage.edge.checkpoint;

/**
 * Whose turn it is, so that the edge gets the fraction c of the time for checkpoints and hot files
 * the rest of it (Corollary 2 of the paper). Only time for which both wait counts: nobody saves up
 * turns while there is nothing to write.
 *
 * <p>Files are not split: what one gets too much with a long file, the other one gets next. So a
 * hot file that is being written delays the edge by its own length at most.
 */
final class EdgeShare {
  private final double share;
  private double owedToEdgeNs;

  /**
   * Nobody is owed anything.
   *
   * @param share c, above 0; 1: hot files are written only when the edge is empty
   */
  EdgeShare(double share) {
    this.share = share;
  }

  /** Both wait: is it the hot file's turn? When nobody is owed anything, it takes precedence. */
  boolean isHotsTurn() {
    return share < 1 && owedToEdgeNs <= 0;
  }

  /** A file of the edge was written while a hot one waited. */
  void edgeWritten(long spentNs) {
    owedToEdgeNs -= (1 - share) * spentNs;
  }

  /** A hot file was written while the edge waited. */
  void hotWritten(long spentNs) {
    owedToEdgeNs += share * spentNs;
  }

  /** One of them has nothing to write. */
  void forget() {
    owedToEdgeNs = 0;
  }
}
