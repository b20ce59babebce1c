package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One run of one of the paper's jobs.
 *
 * @param run what was measured; its {@code mb} are the input's, rounded up
 * @param intermediateMb what reduces fetched, in millions of bytes
 * @param reduceTasks how many there were, which in {@code auto} the data decides
 * @param mapTaskS seconds that each map task took, by its number
 * @param reduceTaskS the same of reduce tasks
 * @param partitionBytes of keys and values of each partition; empty where the job does not count
 *     that
 * @param partitionTasks how many reduce tasks had a share of each partition; likewise
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record PaperRun(
    @JsonUnwrapped BenchRun run,
    double intermediateMb,
    int reduceTasks,
    List<Double> mapTaskS,
    List<Double> reduceTaskS,
    List<Long> partitionBytes,
    List<Long> partitionTasks) {
  private static final double BYTES_PER_MB = 1e6;

  PaperRun {
    mapTaskS = List.copyOf(mapTaskS);
    reduceTaskS = List.copyOf(reduceTaskS);
    partitionBytes = List.copyOf(partitionBytes);
    partitionTasks = List.copyOf(partitionTasks);
  }

  /**
   * Puts together what is known of a run.
   *
   * @param metrics empty when the job failed
   */
  static PaperRun of(BenchRun run, Optional<JobMetrics> metrics) {
    List<Double> maps = metrics.map(JobMetrics::mapTaskSeconds).orElse(List.of());
    List<Double> reduces = metrics.map(JobMetrics::reduceTaskSeconds).orElse(List.of());
    int partitions = run.size().reduces();
    return new PaperRun(
        run,
        Medians.rounded(run.shuffledBytes() / BYTES_PER_MB, 1_000),
        reduces.size(),
        maps,
        reduces,
        ofPartitions(metrics, PaperJob.BYTES_OF_PARTITION, partitions),
        ofPartitions(metrics, PaperJob.TASKS_OF_PARTITION, partitions));
  }

  private static List<Long> ofPartitions(
      Optional<JobMetrics> metrics, String counter, int partitions) {
    return metrics.stream()
        .filter(job -> job.counters().keySet().stream().anyMatch(name -> name.startsWith(counter)))
        .flatMap(job -> IntStream.range(0, partitions).mapToObj(i -> job.counter(counter + i)))
        .toList();
  }

  /** Whether it is a valid run of this job. */
  boolean isValidRunOf(PaperJob job) {
    return run.valid() && run.workload().equals(job.title());
  }
}
