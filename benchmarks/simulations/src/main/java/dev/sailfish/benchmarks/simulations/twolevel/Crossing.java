package dev.sailfish.benchmarks.simulations.twolevel;

import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/**
 * Where lines of figure 5 of the paper cross: the fewest compute nodes with which all of them
 * together get more from one storage than from another one.
 *
 * @param nodes how many
 * @param winnerMbPerS what they then get in all from the one, in MB/s
 * @param loserMbPerS and from the other one
 */
public record Crossing(int nodes, double winnerMbPerS, double loserMbPerS) {
  /** More compute nodes are not looked at. */
  public static final int MOST_NODES = 1_000_000;

  /**
   * Finds it; empty if there is none with up to {@link #MOST_NODES} compute nodes.
   *
   * @param winner what each node gets from the one storage, by the number of nodes
   * @param loser and from the other one; where both are equal, none has more
   */
  public static Optional<Crossing> find(IntToDoubleFunction winner, IntToDoubleFunction loser) {
    for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
      double winning = winner.applyAsDouble(nodes);
      double losing = loser.applyAsDouble(nodes);
      if (winning > losing) {
        return Optional.of(new Crossing(nodes, nodes * winning, nodes * losing));
      }
    }
    return Optional.empty();
  }
}
