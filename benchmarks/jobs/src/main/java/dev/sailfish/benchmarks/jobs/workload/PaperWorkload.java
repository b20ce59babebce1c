package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.client.JobRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of the paper's seven jobs (Sailfish, §6.3). It checks its records and the size of its result
 * itself; that all contenders have the same result in a round is checked here. Used by one thread.
 */
public final class PaperWorkload implements BenchWorkload {
  /** By name: the class itself needs Hadoop. */
  private static final String MAIN = "dev.sailfish.benchmarks.jobs.mapreduce.PaperWorkloadJob";

  private static final String RESULT_RECORDS = "RESULT_RECORDS";
  private static final String RESULT_HASH_SUM = "RESULT_HASH_SUM";

  /** More than any job makes of its input, with what stock keeps of each record beside it. */
  private static final double MAP_OUTPUT_PER_INPUT = 3;

  private final PaperJob job;
  private final double scale;
  private final BenchPlan plan;
  private final JobJars jars;
  private final Map<Integer, String> results = new HashMap<>();
  private int round;
  private JobMetrics last;

  /**
   * A job at a scale.
   *
   * @param plan with its megabytes of input, its maps and its partitions
   */
  public PaperWorkload(PaperJob job, double scale, BenchPlan plan, JobJars jars) {
    this.job = job;
    this.scale = scale;
    this.plan = plan;
    this.jars = jars;
  }

  @Override
  public BenchPlan plan() {
    return plan;
  }

  /** What it runs. */
  public PaperJob job() {
    return job;
  }

  @Override
  public String label() {
    return job.title();
  }

  /** The data of a round is the same for all contenders. */
  @Override
  public JobRequest request(Contender contender, int number) {
    round = number;
    last = null;
    Map<String, String> configuration = new HashMap<>(plan.configuration(contender));
    if (!plan.settings().containsKey(BenchPlan.SORT_BUFFER_KEY)) {
      double largest = job.largestMapBytes(scale) * MAP_OUTPUT_PER_INPUT;
      configuration.put(
          BenchPlan.SORT_BUFFER_KEY, Integer.toString(BenchPlan.sortBufferMb(largest)));
    }
    return new JobRequest(
        jars.own(),
        List.of(MAIN, job.name(), Double.toString(scale), Integer.toString(round)),
        configuration);
  }

  @Override
  public Optional<String> mistake(Measurement measurement, MeasuredRunner runner) {
    last = measurement.job();
    return differs(round, measurement.job());
  }

  /** Tells when a result is not that of the first run of the round. */
  Optional<String> differs(int number, JobMetrics metrics) {
    String result =
        "%d records with sum %d"
            .formatted(metrics.counter(RESULT_RECORDS), metrics.counter(RESULT_HASH_SUM));
    String first = results.putIfAbsent(number, result);
    return first == null || first.equals(result)
        ? Optional.empty()
        : Optional.of("its result is " + result + ", that of the run before it " + first);
  }

  /** What job history tells of the run that was requested last; empty when it failed. */
  public Optional<JobMetrics> last() {
    return Optional.ofNullable(last);
  }
}
