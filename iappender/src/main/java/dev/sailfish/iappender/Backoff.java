package dev.sailfish.iappender;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/** Waits between tries: doubled from 2 ms to half a second. */
final class Backoff {
  private static final long FIRST_MS = 2;
  private static final long LONGEST_MS = 500;
  private static final int MOST_DOUBLINGS = 8;

  private Backoff() {}

  /** How long to wait before the next try, in nanoseconds, after {@code failures} of them. */
  static long nanos(int failures) {
    long millis = FIRST_MS << Math.min(Math.max(0, failures - 1), MOST_DOUBLINGS);
    return Math.min(millis, LONGEST_MS) * 1_000_000;
  }

  /** Waits until {@link System#nanoTime} is {@code untilNs}, or a little less. */
  static void await(long untilNs, String what) throws InterruptedIOException {
    LockSupport.parkNanos(untilNs - System.nanoTime());
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while waiting for " + what);
    }
  }
}
