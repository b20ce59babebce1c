package dev.sailfish.lineage.edge.resource;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Set;

/**
 * Priorities of recomputations under a scheduler with strict priorities (section 5.1 of the paper).
 * By themselves they have the lowest one. What a job waits for runs with that job's priority, and
 * so does what this is made of; of several jobs the highest priority counts. So no job waits for
 * something that waits for it, and a file that nobody waits for takes nothing from anybody.
 */
public final class PriorityInheritance {
  /**
   * A job that waits for lost files.
   *
   * @param priority the higher, the more important
   * @param files FIDs
   */
  public record WaitingJob(int priority, Set<Long> files) {
    public WaitingJob {
      files = Set.copyOf(files);
    }
  }

  private PriorityInheritance() {}

  /**
   * The priority of each step, by the id of its dependency. To be computed again when a job begins
   * or ceases to wait, or the plan changes.
   *
   * @param lowest what steps have that nobody waits for
   */
  public static Map<Long, Integer> priorities(
      RecomputePlan plan, Collection<WaitingJob> jobs, int lowest) {
    Map<Long, Integer> wanted = new HashMap<>(); // by file
    for (WaitingJob job : jobs) {
      job.files().forEach(file -> wanted.merge(file, job.priority(), Math::max));
    }
    List<RecomputeStep> steps = new ArrayList<>(plan.steps());
    Map<Long, Integer> priorities = new HashMap<>();
    steps.forEach(step -> priorities.put(step.id(), lowest));
    ListIterator<RecomputeStep> fromTheEnd = steps.listIterator(steps.size());
    while (fromTheEnd.hasPrevious()) {
      RecomputeStep step = fromTheEnd.previous();
      for (long output : step.outputs()) {
        priorities.merge(step.id(), wanted.getOrDefault(output, lowest), Math::max);
      }
      int priority = priorities.get(step.id());
      step.after().forEach(before -> priorities.merge(before, priority, Math::max));
    }
    return priorities;
  }
}
