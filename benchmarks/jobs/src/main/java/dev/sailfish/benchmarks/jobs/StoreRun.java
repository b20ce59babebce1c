package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One run of {@code bench store}.
 *
 * @param mbS how fast it was, of a work that is counted in bytes; null if it was not valid
 * @param perS the same of others
 * @param valid whether all that was read and written was what it should be
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record StoreRun(
    String contender,
    String work,
    int threads,
    int round,
    @JsonProperty("mb_s") Double mbS,
    @JsonProperty("per_s") Double perS,
    boolean valid) {
  /** Runs with the same key are compared. */
  String key() {
    return work + " " + threads;
  }

  double figure() {
    return mbS == null ? perS : mbS;
  }
}
