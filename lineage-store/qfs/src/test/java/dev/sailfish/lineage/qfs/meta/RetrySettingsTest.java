package dev.sailfish.lineage.qfs.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.testkit.ManualNanoClock;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetrySettingsTest {
  private static final RetrySettings RETRY =
      new RetrySettings(Duration.ofSeconds(1), Duration.ofMillis(10), Duration.ofMillis(100));

  /** A clock whose pauses move it. */
  private static final class Steps implements Clock {
    private final ManualNanoClock now = new ManualNanoClock();

    @Override
    public long nanoTime() {
      return now.getAsLong();
    }

    @Override
    public void pause(long untilNs, String what) {
      now.advance(Duration.ofNanos(untilNs - nanoTime()));
    }
  }

  @Test
  void waitsDoubleUpToTheLongest() {
    assertThat(RETRY.waitNs(1)).isEqualTo(Duration.ofMillis(10).toNanos());
    assertThat(RETRY.waitNs(3)).isEqualTo(Duration.ofMillis(40).toNanos());
    assertThat(RETRY.waitNs(5)).isEqualTo(Duration.ofMillis(100).toNanos());
    assertThat(RETRY.waitNs(1_000_000)).isEqualTo(Duration.ofMillis(100).toNanos());
  }

  @Test
  void noAttemptBeginsAfterTheDeadline() throws InterruptedIOException {
    Steps clock = new Steps();
    long startNs = clock.nanoTime();
    long endNs = RETRY.endNs(clock);
    int failures = 1;
    while (RETRY.pause(clock, failures, endNs, "the test")) {
      failures++;
    }
    assertThat(clock.nanoTime() - startNs)
        .isBetween(Duration.ofMillis(900).toNanos(), Duration.ofSeconds(1).toNanos());
    assertThat(failures).isEqualTo(4 + 8 + 1);
  }

  @Test
  void anInterruptedThreadDoesNotWait() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> RETRY.pause(Clock.SYSTEM, 1, RETRY.endNs(Clock.SYSTEM), "the test"))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("interrupted: the test");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    Duration second = Duration.ofSeconds(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetrySettings(second, Duration.ZERO, second));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetrySettings(second, second, Duration.ofMillis(1)));
  }
}
