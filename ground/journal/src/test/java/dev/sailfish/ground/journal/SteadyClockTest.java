package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.ManualNanoClock;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private final ManualNanoClock nanos = new ManualNanoClock();
  private final SteadyClock clock = new SteadyClock(nanos, 5000);

  @Test
  void runsWithTime() {
    long start = clock.nowMs();
    for (int i = 0; i < 100; i++) {
      nanos.advanceMs(100);
      clock.nowMs();
    }
    assertThat(clock.nowMs() - start).isEqualTo(10_000);
  }

  @Test
  void doesNotCountTimeInWhichTheProcessStoodStill() {
    long start = clock.nowMs();
    nanos.advanceMs(3_600_000);
    assertThat(clock.nowMs() - start).isEqualTo(5000);
  }
}
