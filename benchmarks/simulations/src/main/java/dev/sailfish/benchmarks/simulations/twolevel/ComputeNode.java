package dev.sailfish.benchmarks.simulations.twolevel;

/**
 * What one compute node can do at most. All compute nodes are alike (section 4 of the paper).
 *
 * @param diskReadMbPerS reads of its local disk, in MB/s: &mu; where data is read (table 2)
 * @param diskWriteMbPerS writes to its local disk, in MB/s: &mu; where data is written
 * @param memoryMbPerS reads of and writes to its memory, in MB/s: &nu;
 * @param networkMbPerS its network interface, in MB/s, in both directions at once: &rho;
 */
public record ComputeNode(
    double diskReadMbPerS, double diskWriteMbPerS, double memoryMbPerS, double networkMbPerS) {

  public ComputeNode {
    requireThroughput("local disk, read", diskReadMbPerS);
    requireThroughput("local disk, write", diskWriteMbPerS);
    requireThroughput("memory", memoryMbPerS);
    requireThroughput("network interface", networkMbPerS);
  }

  static void requireThroughput(String what, double mbPerS) {
    if (!(mbPerS > 0 && Double.isFinite(mbPerS))) {
      throw new IllegalArgumentException(
          what + ": a throughput is above 0 MB/s and finite, not " + mbPerS);
    }
  }
}
