package dev.sailfish.benchmarks.simulations.edge;

/**
 * The part of a cluster's time that recomputation takes at worst (section 7.5 of the paper): when a
 * node fails, its memory is full of files without checkpoints, these are made one after the other,
 * and everybody who waits for them does nothing meanwhile.
 *
 * @param failuresPerDay of each thousand nodes
 * @param checkpointMbPerS what a node can checkpoint, in MiB/s; what is made more slowly has its
 *     checkpoint in time, so that lost files were made at least as fast
 * @param blocked the part of the cluster that waits, from 0 to 1
 */
public record RecomputeCost(double failuresPerDay, double checkpointMbPerS, double blocked) {
  private static final double MB_PER_GB = 1024;
  private static final double SECONDS_PER_DAY = 24 * 60 * 60;

  /** One failure a day of a thousand nodes, 200 MiB/s, and everybody waits. */
  public static final RecomputeCost PAPER = new RecomputeCost(1, 200, 1);

  public RecomputeCost {
    if (!(failuresPerDay > 0 && checkpointMbPerS > 0 && blocked >= 0 && blocked <= 1)) {
      throw new IllegalArgumentException(
          "failuresPerDay=%s checkpointMbPerS=%s blocked=%s"
              .formatted(failuresPerDay, checkpointMbPerS, blocked));
    }
  }

  /**
   * How long the files of one node are recomputed, in seconds.
   *
   * @param memoryGb of a node, in GiB
   */
  public double seconds(double memoryGb) {
    return memoryGb * MB_PER_GB / checkpointMbPerS;
  }

  /** The part of the cluster's time, from 0. */
  public double share(double nodes, double memoryGb) {
    return blocked * seconds(memoryGb) * failuresPerDay * nodes / 1000 / SECONDS_PER_DAY;
  }
}
