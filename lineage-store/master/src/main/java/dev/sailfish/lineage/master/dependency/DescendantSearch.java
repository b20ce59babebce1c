package dev.sailfish.lineage.master.dependency;

import dev.sailfish.lineage.master.dependency.DependencyGraph.Ancestry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Looks for a lost file that is not given up and that is made of a deleted one, be it by way of
 * others that were deleted and are not there again. The nearest come first. For one search.
 */
final class DescendantSearch {
  private final DependencyGraph graph;
  private final Deque<Long> open = new ArrayDeque<>();
  private final Set<Long> seen = new HashSet<>();
  private final Set<Long> wide = new HashSet<>(); // dependencies, which need not be looked at twice
  private int looked;

  DescendantSearch(DependencyGraph graph) {
    this.graph = graph;
  }

  /**
   * Searches.
   *
   * @param most how many files are looked at, about
   */
  Ancestry from(long fid, int most) {
    add(fid);
    while (!open.isEmpty() && looked <= most) {
      if (isInputOfLost(open.poll())) {
        return Ancestry.FOUND;
      }
    }
    return looked > most ? Ancestry.TOO_FAR : Ancestry.NOT_FOUND;
  }

  private void add(long fid) {
    if (seen.add(fid)) {
      open.add(fid);
    }
  }

  private boolean isInputOfLost(long input) {
    for (long id : graph.consumers(input)) {
      looked++;
      Dependency reader = graph.find(id);
      boolean isNew = reader.recipe().type() == Breadth.NARROW || wide.add(id);
      if (isNew && makesLost(reader, input)) {
        return true;
      }
    }
    return false;
  }

  private boolean makesLost(Dependency reader, long input) {
    looked += reader.outputs();
    for (int at = 0; at < reader.outputs(); at++) {
      OutputState state = reader.state(at);
      boolean isMadeOf = reader.isMadeOf(at, input);
      if (isMadeOf && state.isLost() && graph.givenUp().cause(reader.fid(at)).isEmpty()) {
        return true;
      }
      if (isMadeOf && state.isDeleted() && !state.isAvailable()) {
        add(reader.fid(at));
      }
    }
    return false;
  }
}
