package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Moment;
import dev.sailfish.chaos.Progress;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.yarn.chaos.Containers.Attempt;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Sees from outside how far a job has come. For one thread. */
final class JobWatch implements Progress {
  private static final Duration CALL = Duration.ofSeconds(1);

  private final ChaosCluster cluster;
  private final int maps;
  private String job = "";
  private boolean mapSeen;
  private boolean reduceSeen;
  private int committed;

  JobWatch(ChaosCluster cluster, int maps) {
    this.cluster = cluster;
    this.maps = maps;
  }

  /** Looks at processes, and at the metaserver if it answers. */
  @Override
  public void look() {
    List<Attempt> attempts =
        cluster.containers().attempts(any -> true).stream()
            .map(process -> new Attempt(process.name()))
            .toList();
    for (Attempt attempt : attempts) {
      job = attempt.job();
      mapSeen |= attempt.isMap();
      reduceSeen |= !attempt.isMap();
    }
    if (!job.isEmpty() && committed < maps) {
      boolean noMapRuns = attempts.stream().noneMatch(Attempt::isMap);
      committed = Math.max(committed, reduceSeen && noMapRuns ? maps : manifests());
    }
  }

  private int manifests() {
    try (MetaserverClient client = cluster.metaserverClient(CALL)) {
      return client.describeJob(job, -1).getSummary().getManifests();
    } catch (IOException e) {
      return 0; // the metaserver is down or stopped, or does not know the job yet
    }
  }

  @Override
  public boolean reached(Moment moment) {
    return switch ((JobMoment) moment) {
      case BEFORE -> true;
      case MAPS_RUN -> mapSeen;
      case HALF_OF_MAPS -> mapSeen && 2 * committed >= maps;
      case SHUFFLE -> reduceSeen;
      case REDUCE -> reduceSeen && committed >= maps;
    };
  }
}
