package dev.sailfish.lineage.qfs.wire;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/** The time by which the client waits. Thread-safe. */
@FunctionalInterface
public interface Clock {
  /** The time of this machine. */
  Clock SYSTEM = System::nanoTime;

  /** Nanoseconds, like {@link System#nanoTime}: only differences mean anything. */
  long nanoTime();

  /**
   * Waits on the caller's thread.
   *
   * @param untilNs in the time of {@link #nanoTime}
   * @param what is waited for, for the message
   * @throws InterruptedIOException when the thread is interrupted, and it stays so
   */
  default void pause(long untilNs, String what) throws InterruptedIOException {
    long leftNs = untilNs - nanoTime();
    while (leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, leftNs);
      leftNs = untilNs - nanoTime();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted: " + what);
    }
  }
}
