package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a cluster uses and counts between two moments, while nothing runs on it but what is
 * measured. For one thread.
 */
public final class Span {
  private static final Reading NOTHING = new Reading(0, Map.of());

  private final LocalCluster cluster;
  private final Map<DaemonRecord, Reading> before;
  private final Map<DaemonRecord, Reading> killed = new HashMap<>();

  /**
   * What was used and counted.
   *
   * @param all of the cluster's daemons and its containers
   * @param sailfish the part of it that is of Sailfish's daemons
   */
  public record Usage(Reading all, Reading sailfish) {
    /** What a counter of Sailfish's daemons grew by; 0 when there are none. */
    public long count(Metric counter) {
      return sailfish.counts().getOrDefault(counter, 0L);
    }
  }

  private Span(LocalCluster cluster) {
    this.cluster = cluster;
    new CpuAccounting(cluster.state()).awaitContainersEnded();
    before = readings();
  }

  /** Begins once no container is left. */
  public static Span begin(LocalCluster cluster) {
    return new Span(cluster);
  }

  /** Reads a daemon of Sailfish that is going to be killed, and may be started again. */
  public void beforeKill(DaemonRecord daemon) {
    killed.put(daemon, Reading.ofSailfish(daemon, cluster.layout()));
  }

  /** The same with what was read of daemons before they were killed. */
  void killed(Map<DaemonRecord, Reading> readings) {
    killed.putAll(readings);
  }

  /** What there was since the beginning; waits until no container is left. */
  public Usage end() {
    ClusterState state = cluster.state();
    new CpuAccounting(state).awaitContainersEnded();
    Map<DaemonRecord, Reading> after = readings();
    Set<DaemonRecord> sailfish = new HashSet<>(state.sailfishDaemons());
    sailfish.addAll(killed.keySet());
    return new Usage(growth(after, after.keySet()), growth(after, sailfish));
  }

  /** All daemons, and those that were killed. */
  private Map<DaemonRecord, Reading> readings() {
    ClusterState state = cluster.state();
    Map<DaemonRecord, Reading> readings = new HashMap<>(killed);
    for (DaemonRecord daemon : state.sailfishDaemons()) {
      readings.computeIfAbsent(daemon, running -> Reading.ofSailfish(running, cluster.layout()));
    }
    for (DaemonRecord daemon : state.daemons()) {
      readings.computeIfAbsent(daemon, Reading::ofHadoop);
    }
    return readings;
  }

  private Reading growth(Map<DaemonRecord, Reading> after, Collection<DaemonRecord> daemons) {
    return Reading.sum(
        daemons.stream()
            .map(daemon -> after.get(daemon).since(before.getOrDefault(daemon, NOTHING)))
            .toList());
  }
}
