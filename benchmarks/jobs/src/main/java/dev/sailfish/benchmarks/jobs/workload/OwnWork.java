package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.client.JobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a partitioned sort does itself: the same job in the same ApplicationMaster with the same
 * tasks, and no shuffle. Maps generate and serialize into nothing, reduces check as many records,
 * which are made for them in order.
 *
 * @param sort the job with a shuffle
 */
public record OwnWork(PartitionedSort sort) implements BenchWorkload {
  /** Name in reports. */
  public static final String LABEL = "own work";

  @Override
  public BenchPlan plan() {
    return sort.plan();
  }

  @Override
  public String label() {
    return LABEL;
  }

  @Override
  public JobRequest request(Contender contender, int round) {
    JobRequest whole = sort.request(contender, round);
    List<String> arguments = new ArrayList<>(whole.arguments());
    arguments.add("own-work");
    return new JobRequest(whole.jar(), arguments, whole.configuration());
  }

  @Override
  public Optional<String> mistake(Measurement measurement, MeasuredRunner runner) {
    return sort.plan().miscount(measurement);
  }
}
