package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sailfish.benchmarks.jobs.measure.Loss;

/**
 * One run of the bench of loss.
 *
 * @param disturbed whether it was to lose anything
 * @param lost what it has lost; null when it ended before
 * @param run what was measured
 */
record LossRun(boolean disturbed, String lost, @JsonUnwrapped BenchRun run) {
  static LossRun of(Loss loss, BenchRun run) {
    return new LossRun(loss != Loss.NOTHING, loss.lost().orElse(null), run);
  }
}
