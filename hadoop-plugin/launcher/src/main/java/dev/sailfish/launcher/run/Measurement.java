package dev.sailfish.launcher.run;

/**
 * One run of a job jar on a local cluster.
 *
 * @param exitCode of the client
 * @param cpuSeconds of application master, tasks, Hadoop's and Sailfish's daemons together, while
 *     it ran
 * @param chunks that were opened while it ran
 * @param job what job history tells
 */
public record Measurement(int exitCode, double cpuSeconds, long chunks, JobMetrics job) {
  /** Whether client and job both report success. */
  public boolean succeeded() {
    return exitCode == 0 && job.succeeded();
  }
}
