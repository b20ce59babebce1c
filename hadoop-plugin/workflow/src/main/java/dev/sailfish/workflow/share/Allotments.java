package dev.sailfish.workflow.share;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import dev.sailfish.lineage.edge.resource.PriorityInheritance;
import dev.sailfish.lineage.edge.resource.PriorityInheritance.WaitingJob;
import dev.sailfish.lineage.edge.resource.ShareTransfer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * With what each step of a plan runs, by YARN's scheduler:
 *
 * <ul>
 *   <li>priorities: the lowest one, or the highest of the applications that wait for the step; in
 *       the queue that is set, or that of the record
 *   <li>shares: in the queue of the application that has waited longest for the step, with so many
 *       tasks at once as the containers are that it is given; without one that waits, in the queue
 *       that is set, or that of the record, with as many tasks as the scheduler lets run
 * </ul>
 */
public final class Allotments {
  private static final int LOWEST = 0;

  private final Scheduling scheduling;
  private final ShareTransfer transfer;
  private final String queue;

  /**
   * Rules.
   *
   * @param queue of steps that inherit none; empty: that of their records
   */
  public Allotments(Scheduling scheduling, ShareTransfer transfer, String queue) {
    this.scheduling = scheduling;
    this.transfer = transfer;
    this.queue = queue;
  }

  /**
   * What each step of the plan gets.
   *
   * @param runnable ids of the dependencies that run, or can run
   * @param waiting the applications that wait for a file, by FID
   * @param applications those that were seen, by their ids, those first that have waited longest
   */
  public Map<Long, Allotment> of(
      RecomputePlan plan,
      Set<Long> runnable,
      Map<Long, Set<String>> waiting,
      Map<String, ApplicationLook> applications) {
    return scheduling.kind() == Scheduling.Kind.PRIORITIES
        ? byPriorities(plan, waiting, applications.values())
        : byShares(plan, runnable, waiting, applications);
  }

  private Map<Long, Allotment> byPriorities(
      RecomputePlan plan,
      Map<Long, Set<String>> waiting,
      Collection<ApplicationLook> applications) {
    List<WaitingJob> jobs = new ArrayList<>();
    for (ApplicationLook application : applications) {
      jobs.add(new WaitingJob(application.priority(), files(waiting, application.id())));
    }
    Map<Long, Allotment> allotments = new HashMap<>();
    PriorityInheritance.priorities(plan, jobs, LOWEST)
        .forEach(
            (step, priority) ->
                allotments.put(
                    step, new Allotment(queue, Math.min(priority, scheduling.highest()), 0)));
    return allotments;
  }

  private Map<Long, Allotment> byShares(
      RecomputePlan plan,
      Set<Long> runnable,
      Map<Long, Set<String>> waiting,
      Map<String, ApplicationLook> applications) {
    List<ShareTransfer.Job> jobs = new ArrayList<>();
    for (ApplicationLook application : applications.values()) {
      jobs.add(
          new ShareTransfer.Job(
              application.id(), application.containers(), files(waiting, application.id())));
    }
    Map<Long, Double> shares = transfer.shares(plan, runnable, jobs).steps();
    Waiters waiters = new Waiters(plan, waiting);
    Map<Long, Allotment> allotments = new HashMap<>();
    for (RecomputeStep step : plan.steps()) {
      ApplicationLook first = first(applications, waiters.of(step.id()));
      allotments.put(
          step.id(),
          first == null
              ? new Allotment(queue, LOWEST, 0)
              : new Allotment(
                  first.queue(),
                  LOWEST,
                  (int) Math.max(1, Math.floor(shares.getOrDefault(step.id(), 0.0)))));
    }
    return allotments;
  }

  private static ApplicationLook first(
      Map<String, ApplicationLook> applications, Set<String> waiting) {
    return applications.values().stream()
        .filter(application -> waiting.contains(application.id()))
        .findFirst()
        .orElse(null);
  }

  private static Set<Long> files(Map<Long, Set<String>> waiting, String application) {
    Set<Long> files = new HashSet<>();
    waiting.forEach(
        (file, applications) -> {
          if (applications.contains(application)) {
            files.add(file);
          }
        });
    return files;
  }
}
