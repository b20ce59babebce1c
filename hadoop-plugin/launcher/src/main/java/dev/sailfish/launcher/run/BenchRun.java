package dev.sailfish.launcher.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * One run of a bench, as it stands in the JSON report. Durations are in seconds.
 *
 * @param shuffle contender
 * @param round from 1
 * @param mb megabytes of records
 * @param maps map tasks
 * @param reduces reduce tasks
 * @param codec of map output
 * @param wallSeconds from submission to end of the job
 * @param mapSeconds of the map phase
 * @param reduceSeconds of the reduce phase
 * @param cpuSeconds of application master, tasks with their JVMs, Hadoop's and Sailfish's daemons
 * @param taskCpuSeconds what tasks report themselves: without JVM start and application master
 * @param spilledBytes what tasks wrote to local disks
 * @param records that reduces saw
 * @param valid whether all checks passed
 */
@JsonPropertyOrder({
  "shuffle",
  "round",
  "mb",
  "maps",
  "reduces",
  "codec",
  "wall_s",
  "map_s",
  "reduce_s",
  "cpu_s",
  "task_cpu_s",
  "spilled_bytes",
  "records",
  "valid"
})
public record BenchRun(
    String shuffle,
    int round,
    int mb,
    int maps,
    int reduces,
    String codec,
    @JsonProperty("wall_s") double wallSeconds,
    @JsonProperty("map_s") double mapSeconds,
    @JsonProperty("reduce_s") double reduceSeconds,
    @JsonProperty("cpu_s") double cpuSeconds,
    @JsonProperty("task_cpu_s") double taskCpuSeconds,
    @JsonProperty("spilled_bytes") long spilledBytes,
    long records,
    boolean valid) {

  private static final double MS_PER_SECOND = 1_000;
  private static final double HUNDREDTHS = 100;

  /** The run that a measurement was taken of. */
  public static BenchRun of(BenchPlan plan, Shuffle shuffle, int round, Measurement measurement) {
    JobMetrics job = measurement.job();
    long records = job.taskCounter("REDUCE_INPUT_RECORDS");
    return new BenchRun(
        shuffle.label(),
        round,
        plan.mb(),
        plan.maps(),
        plan.reduces(),
        plan.codec().toString(),
        rounded(job.wallSeconds()),
        rounded(job.mapSeconds()),
        rounded(job.reduceSeconds()),
        rounded(measurement.cpuSeconds()),
        rounded(job.taskCounter("CPU_MILLISECONDS") / MS_PER_SECOND),
        job.localBytesWritten(),
        records,
        measurement.succeeded() && records == plan.records());
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * HUNDREDTHS) / HUNDREDTHS;
  }
}
