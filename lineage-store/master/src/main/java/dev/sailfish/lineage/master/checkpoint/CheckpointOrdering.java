package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.checkpoint.ArrivalOrder;
import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;

/**
 * In which order files are checkpointed.
 *
 * @param name as the key says
 * @param edge for {@link #EDGE}
 * @param interval for {@link #INTERVAL}
 */
public record CheckpointOrdering(String name, EdgeSettings edge, int interval) {
  /** The Edge algorithm. */
  static final String EDGE = "edge";

  /** As they came. */
  static final String CREATION = "creation";

  /** The last one first. */
  static final String LATEST = "latest";

  /** Those of every n-th job of a chain. */
  static final String INTERVAL = "interval";

  /** Nothing but what is asked for. */
  static final String NONE = "none";

  /** The Edge algorithm with patience, and else as the report has it. */
  public static final CheckpointOrdering DEFAULT =
      new CheckpointOrdering(EDGE, EdgeSettings.DEFAULT, 1);

  /** Whether files are checkpointed that nobody asks for. */
  boolean isInBackground() {
    return !name.equals(NONE);
  }

  CheckpointPolicy policy() {
    return switch (name) {
      case CREATION, NONE -> ArrivalOrder.creationOrder();
      case LATEST -> ArrivalOrder.latestFirst();
      case INTERVAL -> ArrivalOrder.fixedInterval(interval);
      default -> new EdgePolicy(edge);
    };
  }
}
