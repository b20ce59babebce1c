package dev.sailfish.localcluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for something outside this process that can only be asked, not subscribed to.
 *
 * @param deadline after which waiting is an error
 * @param interval between two questions
 */
public record Await(Duration deadline, Duration interval) {
  /**
   * Asks until the condition holds.
   *
   * @param condition asked on the calling thread; what it throws ends the wait
   * @param failure the sentence for the user when the deadline passes
   */
  public void until(BooleanSupplier condition, Supplier<String> failure) {
    if (!holdsInTime(condition)) {
      throw new CommandException(failure.get());
    }
  }

  /** As {@link #until}, but tells whether the condition came to hold before the deadline. */
  public boolean holdsInTime(BooleanSupplier condition) {
    long endNs = System.nanoTime() + deadline.toNanos();
    while (!condition.getAsBoolean()) {
      long leftNs = endNs - System.nanoTime();
      if (leftNs <= 0) {
        return false;
      }
      LockSupport.parkNanos(this, Math.min(leftNs, interval.toNanos()));
      if (Thread.currentThread().isInterrupted()) {
        throw new CommandException("Interrupted while waiting.");
      }
    }
    return true;
  }
}
