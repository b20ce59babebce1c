package dev.sailfish.benchmarks.jobs.pipeline;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A job that needs nothing of the store, beside one that reads from it.
 *
 * @param beside what it ran beside: nothing, a job, or a job whose input is recomputed
 * @param otherWallS from the start of its client to the end
 * @param ownWallS the same of the job that reads from the store; null when there is none
 * @param steps records that were run again
 */
public record BesideRun(
    int round,
    String beside,
    @JsonProperty("other_wall_s") double otherWallS,
    @JsonProperty("own_wall_s") Double ownWallS,
    long steps,
    boolean valid) {
  /** Names of fields for a table. */
  public static final String COLUMNS = "round beside other_wall_s own_wall_s steps valid";

  /** Alone. */
  public static final String NOTHING = "nothing";

  /** Beside a job that finds its input. */
  public static final String JOB = "job";

  /** Beside a job whose input is recomputed. */
  public static final String RECOMPUTE = "recompute";
}
