package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.localcluster.client.Shuffle;

/**
 * One run of a bench, as it stands in the JSON report. Durations are in seconds.
 *
 * @param workload what was run
 * @param shuffle contender
 * @param round from 1
 * @param mb megabytes of records
 * @param maps map tasks
 * @param reduces reduce tasks
 * @param codec of map output
 * @param wallSeconds from submission to end of the job
 * @param mapSeconds of the map phase
 * @param reduceSeconds of the reduce phase
 * @param cpuSeconds of application master, tasks with their JVMs, Hadoop's daemons, and Sailfish's
 *     if it is the contender
 * @param sailfishCpuSeconds the part of it that Sailfish's daemons used
 * @param idleSailfishCpuSeconds what they used beside it, while another contender ran
 * @param taskCpuSeconds what tasks report themselves: without JVM start and application master
 * @param gcSeconds of garbage collection in tasks
 * @param spilledBytes what tasks wrote to local disks
 * @param shuffledBytes that reduces fetched
 * @param fetches in how many pieces: map outputs (stock) or reads of chunkservers (Sailfish)
 * @param chunks that were opened
 * @param fullChunks that took no more because a block did not fit
 * @param fullChunkBytes before compression, in those
 * @param seeks sequential passes over chunks
 * @param records that reduces saw
 * @param valid whether all checks passed
 */
@JsonPropertyOrder({
  "workload",
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
  "sailfish_cpu_s",
  "idle_sailfish_cpu_s",
  "task_cpu_s",
  "gc_s",
  "spilled_bytes",
  "shuffled_bytes",
  "fetches",
  "chunks",
  "full_chunks",
  "full_chunk_bytes",
  "seeks",
  "records",
  "valid"
})
public record BenchRun(
    String workload,
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
    @JsonProperty("sailfish_cpu_s") double sailfishCpuSeconds,
    @JsonProperty("idle_sailfish_cpu_s") double idleSailfishCpuSeconds,
    @JsonProperty("task_cpu_s") double taskCpuSeconds,
    @JsonProperty("gc_s") double gcSeconds,
    @JsonProperty("spilled_bytes") long spilledBytes,
    @JsonProperty("shuffled_bytes") long shuffledBytes,
    long fetches,
    long chunks,
    @JsonProperty("full_chunks") long fullChunks,
    @JsonProperty("full_chunk_bytes") long fullChunkBytes,
    long seeks,
    long records,
    boolean valid) {

  private static final String READS = "chunkserver_reads";
  private static final double MS_PER_SECOND = 1_000;
  private static final double HUNDREDTHS = 100;

  /** The run that a measurement was taken of. */
  public static BenchRun of(
      String workload,
      BenchPlan plan,
      Contender contender,
      int round,
      Measurement measurement,
      boolean valid) {
    JobMetrics job = measurement.job();
    boolean stock = contender.shuffle() == Shuffle.STOCK;
    return new BenchRun(
        workload,
        contender.label(),
        round,
        plan.mb(),
        plan.maps(),
        plan.reduces(),
        plan.codec().toString(),
        rounded(job.wallSeconds()),
        rounded(job.mapSeconds()),
        rounded(job.reduceSeconds()),
        rounded(measurement.cpuSecondsOf(contender.shuffle())),
        rounded(stock ? 0 : measurement.sailfishCpuSeconds()),
        rounded(stock ? measurement.sailfishCpuSeconds() : 0),
        rounded(job.taskCounter("CPU_MILLISECONDS") / MS_PER_SECOND),
        rounded(job.taskCounter("GC_TIME_MILLIS") / MS_PER_SECOND),
        job.localBytesWritten(),
        job.taskCounter("REDUCE_SHUFFLE_BYTES"),
        stock ? job.taskCounter("SHUFFLED_MAPS") : measurement.sailfishCounter(READS),
        measurement.chunks(),
        measurement.sailfishCounter("chunkserver_full_chunks"),
        measurement.sailfishCounter("chunkserver_full_chunk_raw_bytes"),
        measurement.sailfishCounter("chunkserver_seeks"),
        job.taskCounter("REDUCE_INPUT_RECORDS"),
        valid);
  }

  /** What tasks and Sailfish's daemons count themselves: without JVM start and Hadoop's daemons. */
  double countedCpuSeconds() {
    return taskCpuSeconds + sailfishCpuSeconds;
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * HUNDREDTHS) / HUNDREDTHS;
  }
}
