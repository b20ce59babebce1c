package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.lineage.qfs.wire.Clock;
import java.io.InterruptedIOException;
import java.time.Duration;

/**
 * How long failed work is tried again. Waits double from the first to the longest. Immutable.
 *
 * @param deadline no attempt begins later than that after the first one
 * @param firstWait after the first failure
 * @param longestWait no wait is longer
 */
public record RetrySettings(Duration deadline, Duration firstWait, Duration longestWait) {
  /** 60 s; 20 ms to 2 s. */
  public static final RetrySettings DEFAULTS =
      new RetrySettings(Duration.ofSeconds(60), Duration.ofMillis(20), Duration.ofSeconds(2));

  private static final int MOST_DOUBLINGS = 30;

  /** Checks. */
  public RetrySettings {
    if (deadline.isNegative() || firstWait.toMillis() < 1 || longestWait.compareTo(firstWait) < 0) {
      throw new IllegalArgumentException(
          "deadline=%s first_wait=%s longest_wait=%s".formatted(deadline, firstWait, longestWait));
    }
  }

  /** When no attempt begins any more, in the clock's time. */
  public long endNs(Clock clock) {
    return clock.nanoTime() + deadline.toNanos();
  }

  /**
   * How long to wait before the next attempt, in nanoseconds.
   *
   * @param failures in a row, at least 1
   */
  public long waitNs(int failures) {
    long wait = firstWait.toNanos() << Math.min(failures - 1, MOST_DOUBLINGS);
    return wait <= 0 ? longestWait.toNanos() : Math.min(wait, longestWait.toNanos());
  }

  /**
   * Waits before the next attempt.
   *
   * @param failures in a row, at least 1
   * @param endNs of all attempts
   * @return false: it is too late for another one, and nothing was waited for
   */
  public boolean pause(Clock clock, int failures, long endNs, String what)
      throws InterruptedIOException {
    long nextNs = clock.nanoTime() + waitNs(failures);
    if (nextNs - endNs > 0) {
      return false;
    }
    clock.pause(nextNs, what);
    return true;
  }
}
