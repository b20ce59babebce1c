package dev.sailfish.localcluster;

import java.util.Map;
import java.util.Optional;

/**
 * Use of a cluster by one command alone, for measurements. A cluster is started for the purpose
 * when none runs, and in that case stopped at the end: also when the command is interrupted.
 */
public final class ClusterSession implements AutoCloseable {
  private final LocalCluster cluster;
  private final ClusterLock lock;
  private final Thread hook;

  private ClusterSession(LocalCluster cluster, ClusterLock lock, Thread hook) {
    this.cluster = cluster;
    this.lock = lock;
    this.hook = hook;
  }

  /**
   * Starts the cluster unless it runs; an error when another command measures on it.
   *
   * @param cluster to use
   * @param withSailfish whether a cluster that has to be started gets Sailfish's daemons
   */
  public static ClusterSession open(LocalCluster cluster, boolean withSailfish) {
    ClusterLayout layout = cluster.layout();
    String busy =
        "Another command measures on the cluster in "
            + layout.home()
            + ": wait for it, or name another --dir.";
    ClusterLock lock = ClusterLock.acquire(layout, layout.sessionLock(), busy);
    try {
      Thread hook = cluster.isUp() ? null : start(cluster, withSailfish);
      return new ClusterSession(cluster, lock, hook);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static Thread start(LocalCluster cluster, boolean withSailfish) {
    Thread hook = new Thread(cluster::stopIfStarted, "stop-cluster");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      cluster.start(
          withSailfish ? Optional.of(SailfishOptions.DEFAULT) : Optional.empty(), Map.of());
    } catch (RuntimeException e) {
      Runtime.getRuntime().removeShutdownHook(hook);
      throw e;
    }
    return hook;
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
    lock.close();
  }
}
