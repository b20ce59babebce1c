package dev.sailfish.simulation;

import dev.sailfish.metaserver.SimulatedMetaserver;
import dev.sailfish.metaserver.state.StateInspection;
import dev.sailfish.simulator.Violation;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What the metaserver has acknowledged it knows, over restarts; each chunk counts the appenders
 * that are bound to it, and no chunk is without its job.
 */
final class MetaserverKeepsItsBooks {
  private record Commit(String job, int map, int attempt) {}

  private final Set<Commit> commits = new LinkedHashSet<>();

  /** A manifest is acknowledged. */
  void committed(String job, int map, int attempt) {
    commits.add(new Commit(job, map, attempt));
  }

  /** How many manifests were acknowledged. */
  int commits() {
    return commits.size();
  }

  /** The job was deleted. */
  void jobEnded() {
    commits.clear();
  }

  void check(SimulatedMetaserver metaserver) {
    for (Commit commit : commits) {
      if (!metaserver.look(
          state ->
              StateInspection.hasManifest(state, commit.job(), commit.map(), commit.attempt()))) {
        throw new Violation(
            MetaserverKeepsItsBooks.class, commit + " was acknowledged and is not known any more");
      }
    }
    String wrong = metaserver.look(StateInspection::wrongReservations);
    if (wrong == null) {
      wrong = metaserver.look(StateInspection::strayChunk);
    }
    if (wrong != null) {
      throw new Violation(MetaserverKeepsItsBooks.class, wrong);
    }
  }
}
