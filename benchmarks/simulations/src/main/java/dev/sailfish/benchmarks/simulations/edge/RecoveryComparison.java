package dev.sailfish.benchmarks.simulations.edge;

import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * How long it takes on average until a workflow is where it was when the cluster failed, under
 * several policies: the simulation of figure 9 of the paper. In each run all policies have the same
 * workflow, and the same time of the one failure, which is drawn from the whole duration of the
 * workflow.
 *
 * @param iterations the workflow
 * @param runs how many are drawn
 * @param seed of all that is drawn
 */
public record RecoveryComparison(Iterations iterations, int runs, long seed) {
  /**
   * One policy's result, and the first one's for comparison.
   *
   * @param meanSeconds of recovery
   * @param aboveFirstSeconds how much that is above the first policy's
   * @param errorSeconds the standard error of that difference, of runs in pairs
   */
  public record Result(double meanSeconds, double aboveFirstSeconds, double errorSeconds) {
    /** The first policy is better, and not by chance: by more than three standard errors. */
    public boolean isBeatenByFirst() {
      return aboveFirstSeconds > 3 * errorSeconds;
    }

    /** It is better than the first policy, and not by chance. */
    public boolean beatsFirst() {
      return aboveFirstSeconds < -3 * errorSeconds;
    }
  }

  /** The results, in the order of the policies. */
  public List<Result> compare(List<Supplier<CheckpointPolicy>> policies) {
    double[] sums = new double[policies.size()];
    double[] differences = new double[policies.size()];
    double[] squares = new double[policies.size()];
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int run = 0; run < runs; run++) {
      SplittableRandom random = seeds.split();
      Workflow workflow = iterations.draw(random);
      double failure = random.nextDouble();
      double first = 0;
      for (int i = 0; i < policies.size(); i++) {
        Timeline timeline = WorkflowRun.of(workflow, policies.get(i).get());
        double seconds = timeline.standSeconds(failure * timeline.end());
        first = i == 0 ? seconds : first;
        sums[i] += seconds;
        differences[i] += seconds - first;
        squares[i] += (seconds - first) * (seconds - first);
      }
    }
    List<Result> results = new ArrayList<>();
    for (int i = 0; i < policies.size(); i++) {
      double difference = differences[i] / runs;
      double variance = Math.max(0, squares[i] / runs - difference * difference);
      results.add(new Result(sums[i] / runs, difference, Math.sqrt(variance / runs)));
    }
    return results;
  }
}
