package dev.sailfish.benchmarks.jobs.loss;

import dev.sailfish.benchmarks.jobs.measure.Loss;
import dev.sailfish.benchmarks.jobs.measure.Reading;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A chunkserver is killed with SIGKILL and stays away until the job has ended. */
public final class ChunkserverLoss implements Loss {
  private final LocalCluster cluster;
  private final int round;
  private final Map<DaemonRecord, Reading> killed = new HashMap<>();

  /**
   * A loss of the chunkserver whose turn it is.
   *
   * @param round from 1; the first one's is the first chunkserver
   */
  public ChunkserverLoss(LocalCluster cluster, int round) {
    this.cluster = cluster;
    this.round = round;
  }

  @Override
  public String name() {
    return "chunkserver";
  }

  @Override
  public void strike(String application) {
    DaemonRecord victim = ofRound(cluster.state().chunkservers(), round);
    killed.put(victim, Reading.ofSailfish(victim, cluster.layout()));
    cluster.kill(victim);
  }

  /** Each in its turn, so that rounds do not lose the same part of the data. */
  static DaemonRecord ofRound(List<DaemonRecord> chunkservers, int round) {
    return chunkservers.get((round - 1) % chunkservers.size());
  }

  @Override
  public Optional<String> lost() {
    return killed.keySet().stream().map(DaemonRecord::name).findFirst();
  }

  @Override
  public Map<DaemonRecord, Reading> killed() {
    return Map.copyOf(killed);
  }

  @Override
  public void repair() {
    killed.keySet().forEach(cluster::startAgain);
  }
}
