package dev.sailfish.ground.journal;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Milliseconds that never go back and never leap. A server reads it many times a second; when much
 * more time than that has passed between two reads, the process stood still (suspended, a long
 * collection), and could hear nobody. That time does not count. Not thread-safe.
 */
public final class SteadyClock {
  private final LongSupplier nanoTime;
  private final long maxStepNs;
  private long lastNs;
  private long passedNs;

  /**
   * @param nanoTime a clock like System.nanoTime
   * @param maxStepMs most that may pass between two reads
   */
  public SteadyClock(LongSupplier nanoTime, long maxStepMs) {
    this.nanoTime = nanoTime;
    this.maxStepNs = TimeUnit.MILLISECONDS.toNanos(maxStepMs);
    this.lastNs = nanoTime.getAsLong();
  }

  /** Milliseconds since this object was made. */
  public long nowMs() {
    long now = nanoTime.getAsLong();
    passedNs += Math.max(0, Math.min(maxStepNs, now - lastNs));
    lastNs = now;
    return TimeUnit.NANOSECONDS.toMillis(passedNs);
  }
}
