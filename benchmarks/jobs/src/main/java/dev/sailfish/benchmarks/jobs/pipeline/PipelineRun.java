package dev.sailfish.benchmarks.jobs.pipeline;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The batches of a pipeline in one storage.
 *
 * @param loss whether files were lost in the middle batch
 * @param jobs that were submitted; recomputed ones are not among them
 * @param wallS from the start of the first job's client to the end of the last one's
 * @param cpuS of all processes but clients, until all is recomputed and below
 * @param wallAboveNullS without that of as many batches over a text of some words
 * @param cpuAboveNullS likewise
 * @param writtenMb what the jobs have written; null of an invalid run
 * @param replicatedMb what two more copies of that would be, which replication sends to others
 * @param belowMb what was copied below
 * @param sparedMb what was deleted before its turn, and so never copied
 * @param steps records that were run again
 */
public record PipelineRun(
    String contender,
    int round,
    boolean loss,
    int batches,
    int jobs,
    @JsonProperty("wall_s") double wallS,
    @JsonProperty("cpu_s") double cpuS,
    @JsonProperty("wall_above_null_s") double wallAboveNullS,
    @JsonProperty("cpu_above_null_s") double cpuAboveNullS,
    @JsonProperty("written_mb") Double writtenMb,
    @JsonProperty("replicated_mb") Double replicatedMb,
    @JsonProperty("below_mb") double belowMb,
    @JsonProperty("spared_mb") double sparedMb,
    long steps,
    boolean valid) {
  /** Names of fields for a table. */
  public static final String COLUMNS =
      "contender round loss jobs wall_s cpu_s wall_above_null_s cpu_above_null_s written_mb"
          + " below_mb steps valid";

  /** The same above a run of the null batch. */
  PipelineRun above(PipelineRun nullBatch) {
    return new PipelineRun(
        contender,
        round,
        loss,
        batches,
        jobs,
        wallS,
        cpuS,
        rounded(wallS - batches * nullBatch.wallS()),
        rounded(cpuS - batches * nullBatch.cpuS()),
        writtenMb,
        replicatedMb,
        belowMb,
        sparedMb,
        steps,
        valid && nullBatch.valid());
  }

  static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
