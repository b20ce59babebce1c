package dev.sailfish.lineage.edge.recompute;

import java.util.List;

/**
 * One run of a dependency.
 *
 * @param dependency what runs
 * @param outputs FIDs of exactly those outputs that the run has to make, in the dependency's order
 * @param inputs FIDs that it reads for them, without repetition
 * @param after ids of the dependencies that have to run before, without repetition
 * @param level 0: all inputs are available; else one more than the highest level of those before
 */
public record RecomputeStep(
    Dependency dependency, List<Long> outputs, List<Long> inputs, List<Long> after, int level) {
  public RecomputeStep {
    outputs = List.copyOf(outputs);
    inputs = List.copyOf(inputs);
    after = List.copyOf(after);
  }

  /** The dependency's id. */
  public long id() {
    return dependency.id();
  }
}
