package dev.sailfish.benchmarks.simulations.edge;

import dev.sailfish.benchmarks.simulations.edge.Workflow.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * An iterative workflow (section 7.3 of the paper): each job reads what the one before it made.
 *
 * @param chains that run side by side and know nothing of each other
 * @param jobs of each chain
 * @param meanSeconds how long a job runs on average; with several numbers, each is for an equal
 *     part of the chain, one after the other
 * @param sigmaSeconds the standard deviation of that, by a Gaussian distribution of which nothing
 *     at or below 0 is taken
 * @param checkpointSeconds how long each file is written
 */
public record Iterations(
    int chains, int jobs, List<Double> meanSeconds, double sigmaSeconds, double checkpointSeconds) {
  public Iterations {
    meanSeconds = List.copyOf(meanSeconds);
  }

  /** A workflow whose jobs' durations are drawn. */
  public Workflow draw(RandomGenerator random) {
    List<Job> drawn = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      double mean = meanSeconds.get(job * meanSeconds.size() / jobs);
      for (int chain = 0; chain < chains; chain++) {
        List<Integer> inputs = job == 0 ? List.of() : List.of(drawn.size() - chains);
        drawn.add(new Job(seconds(random, mean), checkpointSeconds, inputs));
      }
    }
    return new Workflow(drawn);
  }

  private double seconds(RandomGenerator random, double mean) {
    double seconds;
    do {
      seconds = random.nextGaussian(mean, sigmaSeconds);
    } while (seconds <= 0);
    return seconds;
  }
}
