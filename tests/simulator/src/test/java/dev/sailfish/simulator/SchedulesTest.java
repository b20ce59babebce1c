package dev.sailfish.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules follow from the first seed, and the one that fails is named. */
@Seeded
class SchedulesTest {
  private static final int COUNT = 5;

  private static List<Long> seedsOf(Seed first, int count) throws Exception {
    List<Long> seeds = new ArrayList<>();
    assertThat(Schedules.run(first, count, Long.MAX_VALUE, seeds::add)).isEqualTo(seeds.size());
    return seeds;
  }

  @Test
  void firstScheduleShouldHaveTheSeedItself(Seed seed) throws Exception {
    List<Long> seeds = seedsOf(seed, COUNT);
    assertThat(seeds)
        .startsWith(seed.value())
        .doesNotHaveDuplicates()
        .isEqualTo(seedsOf(seed, COUNT));
  }

  @Test
  void failingScheduleShouldBeNamedWithWhatRepeatsIt(Seed seed) {
    List<Long> seeds = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Schedules.run(
                    seed,
                    COUNT,
                    Long.MAX_VALUE,
                    next -> {
                      seeds.add(next);
                      throw new Violation(SchedulesTest.class, "broken");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dsailfish.seed=" + seed.value() + " -Dsailfish.schedules=1")
        .hasMessageContaining("SchedulesTest: broken");
    assertThat(seeds).containsExactly(seed.value());
  }

  @Test
  void noFurtherScheduleShouldBeginAfterTheTime(Seed seed) throws Exception {
    assertThat(Schedules.run(seed, COUNT, 0, next -> {})).isZero();
  }
}
