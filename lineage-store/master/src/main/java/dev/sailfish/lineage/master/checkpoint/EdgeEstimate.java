package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;

/**
 * About how long M is for the present edge: the longer one of the times to write it and to make it
 * again (theorem 1 of the Edge report). To make it again takes what has run since the edge before,
 * so at most the time between the two.
 */
final class EdgeEstimate {
  private static final double SECOND_NS = 1e9;

  /** Of the bytes and times of former copies, what counts still when another one ends. */
  private static final double KEPT = 0.95;

  private long edges;
  private long beganNs;
  private long generatedNs;
  private double copiedBytes;
  private double copyingNs;

  void clear(long nowNs) {
    edges = 0;
    beganNs = nowNs;
    generatedNs = 0;
    copiedBytes = 0;
    copyingNs = 0;
  }

  /** Looks whether another edge has begun. */
  void look(CheckpointPolicy policy, long nowNs) {
    if (policy instanceof EdgePolicy edge && edge.edges() != edges) {
      generatedNs = edges == 0 ? 0 : nowNs - beganNs;
      edges = edge.edges();
      beganNs = nowNs;
    }
  }

  /** A copy has ended well. */
  void copied(long bytes, long spentNs) {
    copiedBytes = KEPT * copiedBytes + bytes;
    copyingNs = KEPT * copyingNs + spentNs;
  }

  /**
   * M, in ns; 0: not known.
   *
   * @param averageBytes how long a file is that waits
   * @param workers that copy side by side
   */
  long longestNs(CheckpointPolicy policy, double averageBytes, int workers, long nowNs) {
    if (!(policy instanceof EdgePolicy edge) || edges == 0 || copiedBytes == 0) {
      return 0;
    }
    double left = edge.edgeFiles() * averageBytes;
    double leftNs = left * copyingNs / copiedBytes / Math.max(1, workers);
    double writingNs = edge.edgeFiles() == 0 ? 0 : nowNs - beganNs + leftNs;
    return (long) Math.min(Math.max(writingNs, generatedNs), Integer.MAX_VALUE * SECOND_NS);
  }
}
