package dev.sailfish.imerger;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/** Pauses between attempts, each twice as long as the one before, up to a second. */
final class Backoff {
  private static final long FIRST_NANOS = 10_000_000L;
  private static final long LONGEST_NANOS = 1_000_000_000L;

  private long nanos = FIRST_NANOS;

  /**
   * Waits.
   *
   * @param what the work that is being retried, for the message
   * @throws InterruptedIOException at once when the thread is or gets interrupted
   */
  void pause(String what) throws InterruptedIOException {
    long end = System.nanoTime() + nanos;
    nanos = Math.min(2 * nanos, LONGEST_NANOS);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      checkInterrupt(what);
      LockSupport.parkNanos(this, left);
    }
    checkInterrupt(what);
  }

  void reset() {
    nanos = FIRST_NANOS;
  }

  static void checkInterrupt(String what) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted: " + what);
    }
  }
}
