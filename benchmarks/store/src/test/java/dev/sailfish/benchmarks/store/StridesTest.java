package dev.sailfish.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StridesTest {
  private static final long MIB = 1 << 20;

  private static long[] first(Strides strides, int count) {
    return LongStream.range(0, count).map(i -> strides.next()).toArray();
  }

  @Test
  void withoutASkipItIsReadFromBeginningToEnd() {
    assertThat(first(new Strides(3 * MIB, 0), 5)).containsExactly(0, MIB, 2 * MIB, 0, MIB);
  }

  @Test
  void leavesOutTheSkip() {
    assertThat(first(new Strides(10 * MIB, MIB / 4), 3))
        .containsExactly(0, MIB * 5 / 4, MIB * 5 / 2);
  }

  /** So that each skip reads all of a file, in another order. */
  @ParameterizedTest
  @CsvSource({"12,1", "12,3", "64,15", "64,31"})
  void readsEachPartOnceBeforeAnyIsReadAgain(int mib, int skip) {
    Strides strides = new Strides(mib * MIB, skip * MIB);
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < mib; i++) {
      long at = strides.next();
      assertThat(at).isBetween(0L, (mib - 1) * MIB);
      assertThat(seen.add(at)).as("position %s", at).isTrue();
    }
  }

  @Test
  void refusesAFileWithoutAMebibyte() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Strides(MIB - 1, 0));
  }
}
