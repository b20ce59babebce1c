package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.client.JobRequest;
import java.util.List;
import java.util.Optional;

/**
 * The paper's synthetic benchmark (Sailfish, §6.2.1); the job checks its records itself.
 *
 * @param comparator whether the job brings a comparator of its own, so that no server can sort
 * @param heavy how many partitions, the first ones, get nine times what the others do
 */
public record PartitionedSort(BenchPlan plan, JobJars jars, boolean comparator, int heavy)
    implements BenchWorkload {
  /** By name: the class itself needs Hadoop. */
  private static final String MAIN = "dev.sailfish.benchmarks.jobs.mapreduce.PartitionedSortJob";

  @Override
  public String label() {
    if (plan.mb() == 0) {
      return "null job";
    }
    return "partitioned-sort"
        + (comparator ? " with a comparator" : "")
        + (heavy > 0 ? " with " + heavy + " heavy partitions" : "");
  }

  @Override
  public JobRequest request(Contender contender, int round) {
    String numbers =
        "%d %d %d %d %d".formatted(plan.records(), plan.maps(), plan.reduces(), round, heavy)
            + (comparator ? " comparator" : "");
    List<String> arguments = List.of((MAIN + " " + numbers).split(" "));
    return new JobRequest(jars.own(), arguments, plan.configuration(contender));
  }

  @Override
  public Optional<String> mistake(Measurement measurement, MeasuredRunner runner) {
    return plan.miscount(measurement);
  }
}
