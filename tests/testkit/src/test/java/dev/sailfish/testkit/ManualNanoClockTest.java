package dev.sailfish.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ManualNanoClockTest {

  @Test
  void movesOnlyWhenMoved() {
    ManualNanoClock clock = new ManualNanoClock(5);
    assertThat(clock.getAsLong()).isEqualTo(5);
    assertThat(clock.advance(Duration.ofNanos(7))).isEqualTo(12);
    assertThat(clock.advanceMs(1)).isEqualTo(1_000_012);
    assertThat(clock.getAsLong()).isEqualTo(1_000_012);
  }

  @Test
  void differencesHoldAcrossTheWrap() {
    ManualNanoClock clock = new ManualNanoClock();
    long before = clock.getAsLong();
    long after = clock.advance(Duration.ofSeconds(2));
    assertThat(after).isNegative();
    assertThat(after - before).isEqualTo(Duration.ofSeconds(2).toNanos());
  }

  @Test
  void refusesToGoBack() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ManualNanoClock().advance(Duration.ofNanos(-1)))
        .withMessageContaining("PT-0.000000001S");
  }
}
