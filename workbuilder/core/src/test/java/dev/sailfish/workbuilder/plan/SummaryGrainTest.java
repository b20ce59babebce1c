package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryGrainTest {
  private static final long MIB = 1L << 20;

  private final WorkTarget target = WorkTarget.given(160 * MIB);

  @Test
  void shouldBeASixteenthOfTheTarget() {
    assertThat(SummaryGrain.bytesPerEntry(List.of(1000 * MIB), target, 1, false))
        .isEqualTo(10 * MIB);
  }

  /** A border cuts an entry of each run. */
  @Test
  void shouldBeFinerForMoreRuns() {
    List<Long> bytes = List.of(1000 * MIB);
    assertThat(SummaryGrain.bytesPerEntry(bytes, target, 10, false)).isEqualTo(MIB);
  }

  @Test
  void shouldLeaveOutPartitionsThatFitIntoAWork() {
    assertThat(SummaryGrain.isNeeded(160 * MIB, target)).isFalse();
    assertThat(SummaryGrain.isNeeded(160 * MIB + 1, target)).isTrue();
    List<Long> small = Collections.nCopies(1 << 20, 160 * MIB);
    assertThat(SummaryGrain.bytesPerEntry(small, target, 1, false)).isEqualTo(10 * MIB);
  }

  @Test
  void shouldBeCoarserForLargeJobs() {
    long petabyte = 1L << 50;
    long grain = SummaryGrain.bytesPerEntry(List.of(petabyte, 1L), target, 1, false);
    // Entries with the longest keys.
    assertThat(petabyte / grain * 278).isBetween(31 * MIB, 32 * MIB);
    assertThat(SummaryGrain.bytesPerEntry(List.of(petabyte, 1L), target, 1, true)).isEqualTo(grain);
  }

  @Test
  void shouldBeThatOfTheIndexForShortRuns() {
    assertThat(SummaryGrain.bytesPerEntry(List.of(1000 * MIB), target, 1, true))
        .isLessThan(64 << 10);
  }
}
