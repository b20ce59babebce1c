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
 * @param counters values by {@code group/name}
 */
public record JobMetrics(
    boolean succeeded,
    double wallSeconds,
    double mapSeconds,
    double reduceSeconds,
    Map<String, Long> counters) {

  private static final String TASK_COUNTER = "org.apache.hadoop.mapreduce.TaskCounter";
  private static final String FILE_SYSTEM_COUNTER = "org.apache.hadoop.mapreduce.FileSystemCounter";

  public JobMetrics {
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
        counters);
  }

  /** The name under which a counter is kept. */
  static String counterName(String group, String name) {
    return group + "/" + name;
  }

  /** One of Hadoop's task counters; 0 when no task touched it. */
  public long taskCounter(String name) {
    return counters.getOrDefault(counterName(TASK_COUNTER, name), 0L);
  }

  /**
   * Bytes that tasks wrote to local disks; with a local default file system that includes the job's
   * output.
   */
  public long localBytesWritten() {
    return counters.getOrDefault(counterName(FILE_SYSTEM_COUNTER, "FILE_BYTES_WRITTEN"), 0L);
  }
}
