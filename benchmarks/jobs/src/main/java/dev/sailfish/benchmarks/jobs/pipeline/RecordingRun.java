package dev.sailfish.benchmarks.jobs.pipeline;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Two jobs, one right after the other, that take lines out of a text in the lineage store.
 *
 * @param contender what the store does beside
 * @param wallS from the start of the first client to the end of the second
 * @param cpuS of all processes but clients, until all is below that is to be
 * @param recordCpuS what the task that made a job's record says it took, of each job
 * @param belowMb what was copied below
 */
public record RecordingRun(
    String contender,
    int round,
    @JsonProperty("wall_s") double wallS,
    @JsonProperty("cpu_s") double cpuS,
    @JsonProperty("record_cpu_s") List<Double> recordCpuS,
    @JsonProperty("below_mb") double belowMb,
    boolean valid) {
  /** Names of fields for a table. */
  public static final String COLUMNS = "contender round wall_s cpu_s record_cpu_s below_mb valid";

  /** No records. */
  public static final String PLAIN = "plain";

  /** Records, and nothing is mounted. */
  public static final String RECORDED = "recorded";

  /** Records, and files are copied below in the background. */
  public static final String CHECKPOINTED = "checkpointed";

  public RecordingRun {
    recordCpuS = List.copyOf(recordCpuS);
  }
}
