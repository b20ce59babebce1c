package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.localcluster.client.Shuffle;
import java.util.Map;

/**
 * One run of a job jar on a local cluster.
 *
 * @param exitCode of the client
 * @param cpuSeconds of application master, tasks, Hadoop's and Sailfish's daemons together, while
 *     it ran
 * @param sailfishCpuSeconds the part of it that Sailfish's daemons used
 * @param sailfishCounters what the counters of Sailfish's daemons grew by while it ran, summed up
 *     over the daemons
 * @param job what job history tells
 */
public record Measurement(
    int exitCode,
    double cpuSeconds,
    double sailfishCpuSeconds,
    Map<String, Long> sailfishCounters,
    JobMetrics job) {
  public Measurement {
    sailfishCounters = Map.copyOf(sailfishCounters);
  }

  /** Whether client and job both report success. */
  public boolean succeeded() {
    return exitCode == 0 && job.succeeded();
  }

  /**
   * CPU seconds that count for a job with this shuffle: Sailfish's daemons are no part of a cluster
   * that shuffles as stock does, so what they use while they are idle is none of its cost.
   */
  public double cpuSecondsOf(Shuffle shuffle) {
    return shuffle == Shuffle.SAILFISH ? cpuSeconds : cpuSeconds - sailfishCpuSeconds;
  }

  /** Chunks that were opened while it ran. */
  public long chunks() {
    return sailfishCounter("metaserver_chunks_opened");
  }

  /** What a counter of Sailfish's daemons grew by; 0 when there are none. */
  public long sailfishCounter(String label) {
    return sailfishCounters.getOrDefault(label, 0L);
  }
}
