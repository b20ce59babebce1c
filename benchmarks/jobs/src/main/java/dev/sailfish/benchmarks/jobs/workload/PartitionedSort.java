package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobRequest;
import java.util.ArrayList;
import java.util.List;

/** The paper's synthetic benchmark (Sailfish, §6.2.1); the job checks its records itself. */
public final class PartitionedSort implements BenchWorkload {
  private static final String MAIN = "dev.sailfish.benchmarks.jobs.mapreduce.PartitionedSortJob";

  private final BenchPlan plan;
  private final Distribution distribution;
  private final boolean comparator;

  /**
   * @param comparator whether the job brings a comparator of its own, so that the server cannot
   *     sort
   */
  public PartitionedSort(BenchPlan plan, Distribution distribution, boolean comparator) {
    this.plan = plan;
    this.distribution = distribution;
    this.comparator = comparator;
  }

  @Override
  public String label() {
    if (plan.mb() == 0) {
      return "null job";
    }
    return comparator ? "partitioned-sort with a comparator" : "partitioned-sort";
  }

  @Override
  public JobRequest request(Contender contender, int round) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                MAIN,
                Long.toString(plan.records()),
                Integer.toString(plan.maps()),
                Integer.toString(plan.reduces()),
                Integer.toString(round)));
    if (comparator) {
      arguments.add("comparator");
    }
    return new JobRequest(JobJars.of(distribution).own(), arguments, plan.configuration(contender));
  }

  @Override
  public boolean isRight(
      Contender contender, int round, Measurement measurement, MeasuredRunner runner) {
    return measurement.job().taskCounter("REDUCE_INPUT_RECORDS") == plan.records();
  }
}
