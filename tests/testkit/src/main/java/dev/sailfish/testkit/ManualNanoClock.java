package dev.sailfish.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A monotonic clock in nanoseconds that moves only when a test moves it; stands in for {@code
 * System::nanoTime} wherever code takes its time from a {@link LongSupplier}. Starts shortly before
 * the value wraps around, because code that compares {@code a < b} instead of {@code a - b < 0}
 * must not pass its tests. May be read and moved from any thread.
 */
public final class ManualNanoClock implements LongSupplier {

  private final AtomicLong nowNs;

  /** A clock that wraps around to negative values one second from now. */
  public ManualNanoClock() {
    this(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());
  }

  /** A clock that shows {@code startNs}. */
  public ManualNanoClock(long startNs) {
    nowNs = new AtomicLong(startNs);
  }

  /** The time in nanoseconds; only differences have a meaning. */
  @Override
  public long getAsLong() {
    return nowNs.get();
  }

  /**
   * Moves the clock forward.
   *
   * @return the new time in nanoseconds
   */
  public long advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("a monotonic clock cannot go back, step=" + step);
    }
    return nowNs.addAndGet(step.toNanos());
  }

  /** Moves the clock forward by milliseconds and returns the new time in nanoseconds. */
  public long advanceMs(long stepMs) {
    return advance(Duration.ofMillis(stepMs));
  }
}
