package dev.sailfish.workflow.share;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Set;

/** Which applications wait for which steps, also because a later step needs them. Immutable. */
public final class Waiters {
  private final Map<Long, Set<String>> byStep = new HashMap<>();

  /**
   * Computes them.
   *
   * @param waiting the applications that wait for a file, by FID
   */
  public Waiters(RecomputePlan plan, Map<Long, Set<String>> waiting) {
    List<RecomputeStep> steps = new ArrayList<>(plan.steps());
    ListIterator<RecomputeStep> fromTheEnd = steps.listIterator(steps.size());
    while (fromTheEnd.hasPrevious()) {
      RecomputeStep step = fromTheEnd.previous();
      Set<String> own = byStep.computeIfAbsent(step.id(), id -> new LinkedHashSet<>());
      step.outputs().forEach(output -> own.addAll(waiting.getOrDefault(output, Set.of())));
      for (long before : step.after()) {
        byStep.computeIfAbsent(before, id -> new LinkedHashSet<>()).addAll(own);
      }
    }
  }

  /** The applications that wait for a step; "" stands for readers that are none. */
  public Set<String> of(long dependency) {
    return Collections.unmodifiableSet(byStep.getOrDefault(dependency, Set.of()));
  }
}
