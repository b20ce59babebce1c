package dev.sailfish.lineage.edge.resource;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Shares of recomputations under a scheduler with weighted fair sharing (section 5.1 of the paper).
 * All recomputations together have one share, in equal parts. A job that waits for lost files gives
 * a part of its own share to what it waits for, and has it back when that is done. So the shares of
 * all are always the same in sum, and jobs that wait for nothing lose nothing.
 *
 * <p>Where a job waits for several steps, directly or because its files are made of others, the
 * part is divided equally among those that can run.
 *
 * @param recomputations the share of all recomputations together: W<sub>R</sub> of the paper, where
 *     it is 1, the least that a scheduler can give
 * @param transferred the part of a waiting job's share that is given, from 0 to 1: a of the paper
 */
public record ShareTransfer(double recomputations, double transferred) {
  /** As in the paper: one share for recomputations, and 20 % of a waiting job's. */
  public static final ShareTransfer DEFAULT = new ShareTransfer(1, 0.2);

  public ShareTransfer {
    if (!(recomputations > 0 && Double.isFinite(recomputations))) {
      throw new IllegalArgumentException(
          "recomputations is a share above 0, not " + recomputations);
    }
    if (!(transferred >= 0 && transferred <= 1)) {
      throw new IllegalArgumentException("transferred is from 0 to 1, not " + transferred);
    }
  }

  /**
   * A job of the cluster.
   *
   * @param id of the job
   * @param share its share when it waits for nothing
   * @param files FIDs of lost files that it waits for
   */
  public record Job(String id, double share, Set<Long> files) {
    public Job {
      files = Set.copyOf(files);
      if (!(share >= 0 && Double.isFinite(share))) {
        throw new IllegalArgumentException(id + ": a share is at least 0, not " + share);
      }
    }
  }

  /**
   * Who has which share.
   *
   * @param jobs by the job's id
   * @param steps of those that can run, by the id of the dependency
   */
  public record Shares(Map<String, Double> jobs, Map<Long, Double> steps) {}

  /**
   * The shares of now. To be computed again when a job begins or ceases to wait, or a step can run
   * or is done.
   *
   * @param runnable ids of the dependencies that run, or can run
   * @param jobs all jobs, also those that wait for nothing
   */
  public Shares shares(RecomputePlan plan, Set<Long> runnable, Collection<Job> jobs) {
    Map<Long, RecomputeStep> makers = new HashMap<>();
    plan.steps().forEach(step -> step.outputs().forEach(output -> makers.put(output, step)));
    Map<Long, Double> steps = new HashMap<>();
    runnable.forEach(step -> steps.put(step, recomputations / runnable.size()));
    Map<String, Double> rest = new HashMap<>();
    for (Job job : jobs) {
      Set<Long> needed = needed(plan, makers, job);
      needed.retainAll(runnable);
      double given = needed.isEmpty() ? 0 : transferred * job.share();
      needed.forEach(step -> steps.merge(step, given / needed.size(), Double::sum));
      rest.put(job.id(), job.share() - given);
    }
    return new Shares(Map.copyOf(rest), Map.copyOf(steps));
  }

  /** All steps that have to run before a job has its files. */
  private static Set<Long> needed(RecomputePlan plan, Map<Long, RecomputeStep> makers, Job job) {
    Set<Long> needed = new LinkedHashSet<>();
    Deque<Long> open = new ArrayDeque<>();
    for (long file : job.files()) {
      if (makers.containsKey(file)) {
        open.add(makers.get(file).id());
      }
    }
    while (!open.isEmpty()) {
      long id = open.remove();
      if (needed.add(id)) {
        plan.step(id).ifPresent(step -> open.addAll(step.after()));
      }
    }
    return needed;
  }
}
