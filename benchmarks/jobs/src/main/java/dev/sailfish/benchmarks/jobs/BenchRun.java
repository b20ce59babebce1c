package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.OwnWork;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.metaserver.MetaserverMetric;

/**
 * One run of a bench, as it stands in the JSON report: names in lower case with underscores.
 * Durations ({@code …S}) are in seconds.
 *
 * @param workload what was run
 * @param shuffle contender
 * @param round from 1
 * @param size of the job
 * @param wallS from submission to end of the job
 * @param mapS of the map phase
 * @param reduceS of the reduce phase
 * @param cpuS of application master, tasks with their JVMs, Hadoop's daemons, and Sailfish's if it
 *     is the contender
 * @param sailfishCpuS the part of it that Sailfish's daemons used
 * @param masterCpuS the part of it that the ApplicationMaster used
 * @param idleSailfishCpuS what they used beside it, while another contender ran
 * @param taskCpuS what tasks report themselves: without JVM start and application master
 * @param gcS of garbage collection in tasks
 * @param spilledBytes what tasks wrote to local disks; with a local default file system that
 *     includes the job's output
 * @param shuffledBytes that reduces fetched
 * @param fetches in how many pieces: map outputs (stock) or reads of chunkservers (Sailfish)
 * @param chunks what became of them
 * @param again what ran more than once
 * @param records that reduces saw
 * @param valid whether all checks passed
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record BenchRun(
    String workload,
    String shuffle,
    int round,
    @JsonUnwrapped Size size,
    double wallS,
    double mapS,
    double reduceS,
    double cpuS,
    double sailfishCpuS,
    double masterCpuS,
    double idleSailfishCpuS,
    double taskCpuS,
    double gcS,
    long spilledBytes,
    long shuffledBytes,
    long fetches,
    @JsonUnwrapped Chunks chunks,
    @JsonUnwrapped Again again,
    long records,
    boolean valid) {
  /**
   * How large a job is.
   *
   * @param mb megabytes of records
   * @param maps map tasks
   * @param reduces reduce tasks
   * @param codec of map output
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  public record Size(int mb, int maps, int reduces, String codec) {}

  /**
   * The chunks of a job.
   *
   * @param chunks that were opened
   * @param fullChunks that took no more because a block did not fit
   * @param fullChunkBytes before compression, in those
   * @param seeks sequential passes over chunks
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  public record Chunks(long chunks, long fullChunks, long fullChunkBytes, long seeks) {}

  /**
   * Tasks that ran more than once.
   *
   * @param mapsAgain starts of map tasks beyond one of each
   * @param reducesAgain the same of reduce tasks
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  public record Again(long mapsAgain, long reducesAgain) {}

  private static final double MS_PER_SECOND = 1_000;
  private static final double HUNDREDTHS = 100;

  /** The run that a measurement was taken of. */
  static BenchRun of(
      String workload,
      BenchPlan plan,
      Contender contender,
      int round,
      Measurement measurement,
      boolean valid) {
    JobMetrics job = measurement.job();
    boolean stock = !contender.isSailfish();
    return new BenchRun(
        workload,
        contender.toString(),
        round,
        new Size(plan.mb(), plan.maps(), plan.reduces(), plan.codec().toString()),
        rounded(job.wallSeconds()),
        rounded(job.mapSeconds()),
        rounded(job.reduceSeconds()),
        rounded(measurement.cpuSeconds() - (stock ? measurement.sailfishCpuSeconds() : 0)),
        rounded(stock ? 0 : measurement.sailfishCpuSeconds()),
        rounded(measurement.masterCpuSeconds()),
        rounded(stock ? measurement.sailfishCpuSeconds() : 0),
        rounded(job.counter("CPU_MILLISECONDS") / MS_PER_SECOND),
        rounded(job.counter("GC_TIME_MILLIS") / MS_PER_SECOND),
        job.counter("FILE_BYTES_WRITTEN"),
        job.counter("REDUCE_SHUFFLE_BYTES"),
        stock ? job.counter("SHUFFLED_MAPS") : measurement.count(ChunkserverMetric.READS),
        new Chunks(
            measurement.count(MetaserverMetric.CHUNKS_OPENED),
            measurement.count(ChunkserverMetric.FULL_CHUNKS),
            measurement.count(ChunkserverMetric.FULL_CHUNK_RAW_BYTES),
            measurement.count(ChunkserverMetric.SEEKS)),
        new Again(job.mapsAgain(), job.reducesAgain()),
        job.counter("REDUCE_INPUT_RECORDS"),
        valid);
  }

  /** Whether it is the job without a shuffle that others are compared with. */
  boolean isOwnWork() {
    return workload.equals(OwnWork.LABEL);
  }

  /** Whether it is the job without records that others are compared with. */
  boolean isNull() {
    return size.mb() == 0 && !isOwnWork();
  }

  /** What tasks and Sailfish's daemons count themselves: without JVM start and Hadoop's daemons. */
  double countedCpuS() {
    return taskCpuS + sailfishCpuS;
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * HUNDREDTHS) / HUNDREDTHS;
  }
}
