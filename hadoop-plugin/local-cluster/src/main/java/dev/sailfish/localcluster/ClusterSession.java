package dev.sailfish.localcluster;

import java.util.Map;

/**
 * Use of a cluster by one command alone, for measurements. A cluster is started for the purpose
 * when none runs, and in that case stopped at the end: also when the command is interrupted.
 *
 * @param cluster which runs
 * @param lock keeps others from measuring on it
 * @param isOwner whether this session started the cluster
 */
public record ClusterSession(LocalCluster cluster, ClusterLock lock, boolean isOwner)
    implements AutoCloseable {
  /** Starts the usual cluster unless one runs; an error when another command measures on it. */
  public static ClusterSession open(LocalCluster cluster) {
    return open(cluster, SailfishOptions.DEFAULT);
  }

  /**
   * The same with other daemons.
   *
   * @param options of the cluster that is started; one that runs is as it is
   */
  public static ClusterSession open(LocalCluster cluster, SailfishOptions options) {
    return open(cluster, options, Map.of());
  }

  /**
   * The same with keys of Hadoop's configuration.
   *
   * @param hadoop over those that the cluster sets itself
   */
  public static ClusterSession open(
      LocalCluster cluster, SailfishOptions options, Map<String, String> hadoop) {
    ClusterLayout layout = cluster.layout();
    String busy =
        "Another command measures on the cluster in "
            + layout.home()
            + ": wait for it, or name another --dir.";
    ClusterLock lock = ClusterLock.acquire(layout, layout.sessionLock(), busy);
    try {
      boolean start = !cluster.isUp();
      if (start) {
        cluster.start(options, hadoop);
      }
      return new ClusterSession(cluster, lock, start);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  @Override
  public void close() {
    if (isOwner) {
      cluster.stop();
    }
    lock.close();
  }
}
