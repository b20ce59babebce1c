package dev.sailfish.ground.wire;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Time, for all that waits or measures. Thread-safe. Waits go by {@link #nanoTime}; the wall clock
 * can be set at any time, and tells only until when something is good.
 */
@FunctionalInterface
public interface Clock {
  /** Time in nanoseconds, like {@link System#nanoTime}: only differences mean anything. */
  long nanoTime();

  /** Milliseconds since 1970. */
  default long wallMs() {
    return System.currentTimeMillis();
  }

  /**
   * Waits on the caller's thread.
   *
   * @param untilNs when {@link #nanoTime} is to be at the end; may be past
   * @param what is waited for, for the message
   * @throws InterruptedIOException at once when the thread is or gets interrupted
   */
  default void pause(long untilNs, String what) throws InterruptedIOException {
    for (long left = untilNs - nanoTime(); left > 0; left = untilNs - nanoTime()) {
      checkInterrupt(what);
      LockSupport.parkNanos(this, left);
    }
    checkInterrupt(what);
  }

  /**
   * Looks whether the calling thread is interrupted, and leaves it so.
   *
   * @param what it does, for the message
   */
  static void checkInterrupt(String what) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted: " + what);
    }
  }
}
