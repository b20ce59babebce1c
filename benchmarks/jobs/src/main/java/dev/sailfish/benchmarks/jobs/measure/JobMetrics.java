package dev.sailfish.benchmarks.jobs.measure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What job history tells of one job, or of several that ran one after the other.
 *
 * @param succeeded whether each of them did
 * @param wallSeconds from submission to end
 * @param mapSeconds from the start of the first map task to the end of the last
 * @param reduceSeconds the same of reduce tasks; overlaps with the maps when reduces start early
 * @param mapsAgain starts of map tasks beyond one of each
 * @param reducesAgain the same of reduce tasks
 * @param mapTaskSeconds of each map task, from its start to its end, in the order of their numbers
 * @param reduceTaskSeconds the same of reduce tasks
 * @param counters values by name; of several groups with one name, the sum
 */
public record JobMetrics(
    boolean succeeded,
    double wallSeconds,
    double mapSeconds,
    double reduceSeconds,
    long mapsAgain,
    long reducesAgain,
    List<Double> mapTaskSeconds,
    List<Double> reduceTaskSeconds,
    Map<String, Long> counters) {

  public JobMetrics {
    mapTaskSeconds = List.copyOf(mapTaskSeconds);
    reduceTaskSeconds = List.copyOf(reduceTaskSeconds);
    counters = Map.copyOf(counters);
  }

  /** The jobs taken together. */
  static JobMetrics sum(List<JobMetrics> jobs) {
    Map<String, Long> counters = new HashMap<>();
    jobs.forEach(
        job -> job.counters().forEach((name, value) -> counters.merge(name, value, Long::sum)));
    return new JobMetrics(
        jobs.stream().allMatch(JobMetrics::succeeded),
        jobs.stream().mapToDouble(JobMetrics::wallSeconds).sum(),
        jobs.stream().mapToDouble(JobMetrics::mapSeconds).sum(),
        jobs.stream().mapToDouble(JobMetrics::reduceSeconds).sum(),
        jobs.stream().mapToLong(JobMetrics::mapsAgain).sum(),
        jobs.stream().mapToLong(JobMetrics::reducesAgain).sum(),
        jobs.stream().flatMap(job -> job.mapTaskSeconds().stream()).toList(),
        jobs.stream().flatMap(job -> job.reduceTaskSeconds().stream()).toList(),
        counters);
  }

  /** A counter of tasks or file systems by Hadoop's name; 0 when no task touched it. */
  public long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }
}
