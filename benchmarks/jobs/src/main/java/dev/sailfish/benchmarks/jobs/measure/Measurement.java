package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.ground.server.metrics.Metric;
import java.util.Map;

/**
 * One run of a job jar on a local cluster.
 *
 * @param exitCode of the client
 * @param cpuSeconds of application master, tasks, Hadoop's and Sailfish's daemons together, while
 *     it ran
 * @param sailfishCpuSeconds the part of it that Sailfish's daemons used; idle ones are no cost of a
 *     job that shuffles as stock does
 * @param masterCpuSeconds the part of it that its ApplicationMaster used
 * @param counts what the counters of Sailfish's daemons grew by while it ran, summed up over the
 *     daemons
 * @param job what job history tells
 */
public record Measurement(
    int exitCode,
    double cpuSeconds,
    double sailfishCpuSeconds,
    double masterCpuSeconds,
    Map<Metric, Long> counts,
    JobMetrics job) {
  public Measurement {
    counts = Map.copyOf(counts);
  }

  /** Whether client and job both report success. */
  public boolean succeeded() {
    return exitCode == 0 && job.succeeded();
  }

  /** What a counter of Sailfish's daemons grew by; 0 when there are none. */
  public long count(Metric counter) {
    return counts.getOrDefault(counter, 0L);
  }
}
