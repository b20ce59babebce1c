package dev.sailfish.benchmarks.simulations.twolevel;

/**
 * The throughput that each compute node gets from four kinds of storage: HDFS on the local disks, a
 * parallel file system on data nodes, memory of the compute nodes (Tachyon in the paper), and two
 * levels of storage, which are memory above the parallel file system.
 *
 * <p>What the paper assumes (section 4): all N nodes are alike and do the same at the same time,
 * without skew; tasks do nothing but input or output; switches do not block below &Phi;, and no
 * transfer disturbs another one. All nodes together get N times what a method here returns.
 *
 * <p>Equation 3 has two terms for M data nodes, each of which has a network interface of &rho; and
 * disks of &mu;': M&rho;/N and M&mu;'/N. The smaller one counts, so a parallel file system is
 * described by one number here, B = M min(&rho;, &mu;'): what it can do in all. The paper describes
 * it in that way too when it compares (section 4.5).
 *
 * @param node what each compute node can do
 * @param backplaneMbPerS the switch's backplane, which all nodes share, in MB/s: &Phi;; infinite
 *     where it does not limit
 * @param parallelMbPerS the parallel file system in all, for reads and for writes, in MB/s: B
 */
public record StorageModel(ComputeNode node, double backplaneMbPerS, double parallelMbPerS) {
  /** Copies of what HDFS writes: one on the local disk, the others on other nodes. */
  private static final int COPIES = 3;

  private static final int COPIES_OVER_NETWORK = COPIES - 1;

  public StorageModel {
    if (!(backplaneMbPerS > 0)) {
      throw new IllegalArgumentException(
          "backplane: a throughput is above 0 MB/s, not " + backplaneMbPerS);
    }
    ComputeNode.requireThroughput("parallel file system", parallelMbPerS);
  }

  /**
   * What data nodes can do in all, in MB/s: B of equation 3 (section 4.2).
   *
   * @param dataNodes how many there are: M
   * @param networkMbPerS the network interface of each, in MB/s: &rho;
   * @param diskMbPerS the disks of each, in MB/s: &mu;'
   */
  public static double parallelMbPerS(int dataNodes, double networkMbPerS, double diskMbPerS) {
    if (dataNodes < 1) {
      throw new IllegalArgumentException("data nodes: at least 1, not " + dataNodes);
    }
    return dataNodes * Math.min(networkMbPerS, diskMbPerS);
  }

  /** HDFS, read from the local disk: &mu; (equation 1, section 4.1). */
  public double hdfsLocalRead() {
    return node.diskReadMbPerS();
  }

  /** HDFS, read from other nodes: min(&rho;, &Phi;/N, &mu;) (equation 1, section 4.1). */
  public double hdfsRemoteRead(int nodes) {
    return Math.min(overNetwork(nodes), node.diskReadMbPerS());
  }

  /**
   * HDFS, written to the local disk and to those of two other nodes: min(&rho;/2, &Phi;/(2N),
   * &mu;/3) (equation 2, section 4.1). Each node sends two copies, and each disk takes three.
   */
  public double hdfsWrite(int nodes) {
    return Math.min(overNetwork(nodes) / COPIES_OVER_NETWORK, node.diskWriteMbPerS() / COPIES);
  }

  /**
   * The parallel file system, read or written: min(&rho;, &Phi;/N, M&rho;/N, M&mu;'/N), which is
   * min(&rho;, &Phi;/N, B/N) (equation 3, section 4.2). The paper assumes N &gt; M.
   */
  public double parallel(int nodes) {
    return Math.min(overNetwork(nodes), parallelMbPerS / nodes);
  }

  /** Memory, read on the node that has the data: &nu; (equation 4, section 4.3). */
  public double memoryLocalRead() {
    return node.memoryMbPerS();
  }

  /** Memory, read from other nodes: min(&rho;, &Phi;/N, &nu;) (equation 4, section 4.3). */
  public double memoryRemoteRead(int nodes) {
    return Math.min(overNetwork(nodes), node.memoryMbPerS());
  }

  /** Memory, written without copies: &nu; (equation 5, section 4.3). */
  public double memoryWrite() {
    return node.memoryMbPerS();
  }

  /**
   * Two levels, written to memory and to the parallel file system at the same time: the lesser of
   * equations 5 and 3 (equation 6, section 4.4). That is the parallel file system wherever memory
   * is not slower than the network.
   */
  public double twoLevelWrite(int nodes) {
    return Math.min(memoryWrite(), parallel(nodes));
  }

  /**
   * Two levels, read from local memory and then from the parallel file system: 1 / (f/&nu; +
   * (1-f)/q) with q of equation 3 (equation 7, section 4.4).
   *
   * @param memoryShare the part of the data that is in memory, from 0 to 1: f
   */
  public double twoLevelRead(int nodes, double memoryShare) {
    if (!(memoryShare >= 0 && memoryShare <= 1)) {
      throw new IllegalArgumentException("share in memory: from 0 to 1, not " + memoryShare);
    }
    return 1 / (memoryShare / memoryLocalRead() + (1 - memoryShare) / parallel(nodes));
  }

  /** A node's part of the network: its interface, or its share of the backplane. */
  private double overNetwork(int nodes) {
    if (nodes < 1) {
      throw new IllegalArgumentException("compute nodes: at least 1, not " + nodes);
    }
    return Math.min(node.networkMbPerS(), backplaneMbPerS / nodes);
  }
}
