package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.wire.Clock;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * How fast copies in the background go, all of them together: a bucket of tokens, one for each
 * byte, and a pause before each piece while nothing of the host is idle. The pause has an end, so
 * that a host that is always busy is copied below all the same. Thread-safe.
 */
final class Pace {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Time that was not used counts for so long. */
  private static final long BURST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final double SECOND_NS = 1e9;

  private final Clock clock;
  private final BooleanSupplier busy;
  private long bytesPerSecond;
  private long longestPauseNs;
  private long nextNs;

  /**
   * @param busy whether no processor of the host is idle
   */
  Pace(Clock clock, BooleanSupplier busy) {
    this.clock = clock;
    this.busy = busy;
    nextNs = clock.nanoTime();
  }

  /**
   * @param bytes for each second; 0: any number
   * @param pauseNs the longest pause before a piece
   */
  synchronized void set(long bytes, long pauseNs) {
    bytesPerSecond = bytes;
    longestPauseNs = pauseNs;
  }

  /**
   * Waits until so many bytes may be copied.
   *
   * @param hurries whether somebody waits for the copy: there is no pause then
   */
  void take(int bytes, BooleanSupplier hurries) throws InterruptedIOException {
    long nowNs = clock.nanoTime();
    long endNs = nowNs + pauseNs();
    while (endNs - nowNs > 0 && !hurries.getAsBoolean() && busy.getAsBoolean()) {
      clock.pause(Math.min(endNs, nowNs + LOOK_NS), "a copy in the background");
      nowNs = clock.nanoTime();
    }
    clock.pause(turnNs(bytes, nowNs), "a copy in the background");
  }

  private synchronized long pauseNs() {
    return longestPauseNs;
  }

  private synchronized long turnNs(int bytes, long nowNs) {
    if (bytesPerSecond == 0) {
      nextNs = nowNs;
      return nowNs;
    }
    long turnNs = nextNs - (nowNs - BURST_NS) > 0 ? nextNs : nowNs - BURST_NS;
    nextNs = turnNs + (long) (bytes * SECOND_NS / bytesPerSecond);
    return turnNs;
  }
}
