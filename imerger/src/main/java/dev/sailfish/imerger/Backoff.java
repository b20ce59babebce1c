package dev.sailfish.imerger;

import dev.sailfish.protocol.client.Network;
import java.io.InterruptedIOException;

/** Pauses between attempts, each twice as long as the one before, up to a second. */
final class Backoff {
  private static final long FIRST_NANOS = 10_000_000L;
  private static final long LONGEST_NANOS = 1_000_000_000L;

  private final Network network;
  private long nanos = FIRST_NANOS;

  Backoff(Network network) {
    this.network = network;
  }

  /**
   * Waits.
   *
   * @param what the work that is being retried, for the message
   * @throws InterruptedIOException at once when the thread is or gets interrupted
   */
  void pause(String what) throws InterruptedIOException {
    long end = network.nanoTime() + nanos;
    nanos = Math.min(2 * nanos, LONGEST_NANOS);
    network.pause(end, what);
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
