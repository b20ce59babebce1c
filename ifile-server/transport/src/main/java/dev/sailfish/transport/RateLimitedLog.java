package dev.sailfish.transport;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * At most one warning a second, however many peers misbehave; says how many were left out. May be
 * used from any thread.
 */
final class RateLimitedLog {
  private static final long INTERVAL_NS = 1_000_000_000L;

  private final Logger log;
  private final AtomicLong nextNs = new AtomicLong(System.nanoTime());
  private final AtomicLong leftOut = new AtomicLong();

  RateLimitedLog(Logger log) {
    this.log = log;
  }

  void warn(String message) {
    long now = System.nanoTime();
    long next = nextNs.get();
    if (now - next < 0 || !nextNs.compareAndSet(next, now + INTERVAL_NS)) {
      leftOut.incrementAndGet();
      return;
    }
    long count = leftOut.getAndSet(0);
    log.warn("{}{}", message, count == 0 ? "" : " (and " + count + " more such lines)");
  }
}
