package dev.sailfish.lineage.edge.recompute;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What has to run so that all targets are available again, as far as that is possible. Does not
 * change.
 */
public final class RecomputePlan {
  private final Map<Long, RecomputeStep> steps;
  private final List<Unrecoverable> unrecoverable;

  /**
   * A plan.
   *
   * @param steps each after those that it comes after
   * @param unrecoverable all lost files that were looked at and cannot be recomputed
   */
  RecomputePlan(Collection<RecomputeStep> steps, List<Unrecoverable> unrecoverable) {
    Map<Long, RecomputeStep> byId = new LinkedHashMap<>();
    steps.forEach(step -> byId.put(step.id(), step));
    this.steps = Collections.unmodifiableMap(byId);
    this.unrecoverable = List.copyOf(unrecoverable);
  }

  /** All steps, each after those that it comes after. */
  public Collection<RecomputeStep> steps() {
    return steps.values();
  }

  /** The run of a dependency, if it has to run. */
  public Optional<RecomputeStep> step(long dependency) {
    return Optional.ofNullable(steps.get(dependency));
  }

  /** Steps that can run at once, side by side: the roots. */
  public List<RecomputeStep> roots() {
    return steps.values().stream().filter(step -> step.level() == 0).toList();
  }

  /** Files that are LOST for ever: targets, and what they are made of. */
  public List<Unrecoverable> unrecoverable() {
    return unrecoverable;
  }
}
