package dev.sailfish.launcher.cluster;

/**
 * Use of a cluster that is started for the purpose when none runs, and in that case stopped at the
 * end: also when the command is interrupted.
 */
public final class ClusterSession implements AutoCloseable {
  private final LocalCluster cluster;
  private final Thread hook;

  private ClusterSession(LocalCluster cluster, Thread hook) {
    this.cluster = cluster;
    this.hook = hook;
  }

  /**
   * Starts the cluster unless it runs.
   *
   * @param cluster to use
   * @param withSailfish whether a cluster that has to be started gets Sailfish's daemons
   */
  public static ClusterSession open(LocalCluster cluster, boolean withSailfish) {
    if (cluster.isUp()) {
      return new ClusterSession(cluster, null);
    }
    Thread hook = new Thread(cluster::stopIfStarted, "stop-cluster");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      cluster.start(withSailfish);
    } catch (RuntimeException e) {
      Runtime.getRuntime().removeShutdownHook(hook);
      throw e;
    }
    return new ClusterSession(cluster, hook);
  }

  /** What is known of the cluster's processes. */
  public ClusterState state() {
    return cluster.state();
  }

  /** Whether this session started the cluster. */
  public boolean isOwner() {
    return hook != null;
  }

  @Override
  public void close() {
    if (isOwner()) {
      cluster.stop();
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }
}
