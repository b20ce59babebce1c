package dev.sailfish.benchmarks.simulations.edge;

import dev.sailfish.benchmarks.simulations.edge.Workflow.Job;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How much less is written to the under store than when each file is written (section 7.6 of the
 * paper): files that are deleted before their turn are not. Jobs run one after the other and make
 * as much each.
 *
 * @param jobs how many there are
 * @param temporary the part of them whose files are deleted: X of the paper
 * @param reading the part of them that read the file of the job before: Y of the paper
 * @param keptJobs how many jobs long a temporary file is kept after the last job of its chain
 * @param runs how many are drawn
 * @param seed of all that is drawn
 */
public record TrafficSimulation(
    int jobs, double temporary, double reading, double keptJobs, int runs, long seed) {

  /**
   * The part of the traffic that is saved, from 0 to 1.
   *
   * @param checkpointTime how many times longer a file is written than its job runs: T of the paper
   */
  public double saved(double checkpointTime) {
    SplittableRandom seeds = new SplittableRandom(seed);
    double saved = 0;
    for (int run = 0; run < runs; run++) {
      Workflow workflow = draw(seeds.split(), checkpointTime);
      Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.LEAVES_ALONE));
      double written = timeline.abandonedSeconds() / checkpointTime;
      for (int file = 0; file < jobs; file++) {
        written += Double.isFinite(timeline.checkpointed(file)) ? 1 : 0;
      }
      saved += 1 - written / jobs;
    }
    return saved / runs;
  }

  /** A temporary file is deleted when the chain that it is in is done: a query, for example. */
  private Workflow draw(SplittableRandom random, double checkpointTime) {
    boolean[] reads = new boolean[jobs];
    for (int job = 1; job < jobs; job++) {
      reads[job] = random.nextDouble() < reading;
    }
    double[] kept = new double[jobs];
    for (int job = jobs - 1; job >= 0; job--) {
      boolean isRead = job + 1 < jobs && reads[job + 1];
      boolean readerIsLast = job + 2 >= jobs || !reads[job + 2];
      kept[job] = !isRead ? keptJobs : readerIsLast ? kept[job + 1] : kept[job + 1] + 1;
    }
    List<Job> drawn = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      List<Integer> inputs = reads[job] ? List.of(job - 1) : List.of();
      boolean isResult = job + 1 == jobs || !reads[job + 1];
      boolean stays = random.nextDouble() >= temporary || isResult;
      double seconds = stays ? Double.POSITIVE_INFINITY : kept[job];
      drawn.add(new Job(1, checkpointTime, inputs, job, 0, seconds));
    }
    return new Workflow(drawn);
  }
}
