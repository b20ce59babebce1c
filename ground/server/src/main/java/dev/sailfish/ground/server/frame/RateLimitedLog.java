package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.wire.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * At most one warning a second, however many peers misbehave; says how many were left out. May be
 * used from any thread.
 */
final class RateLimitedLog {
  private static final long INTERVAL_NS = 1_000_000_000L;

  private final Logger log;
  private final Clock clock;
  private final AtomicLong nextNs;
  private final AtomicLong leftOut = new AtomicLong();

  RateLimitedLog(Logger log, Clock clock) {
    this.log = log;
    this.clock = clock;
    this.nextNs = new AtomicLong(clock.nanoTime());
  }

  void warn(String message) {
    long now = clock.nanoTime();
    long next = nextNs.get();
    if (now - next < 0 || !nextNs.compareAndSet(next, now + INTERVAL_NS)) {
      leftOut.incrementAndGet();
      return;
    }
    long count = leftOut.getAndSet(0);
    log.warn("{}{}", message, count == 0 ? "" : " (and " + count + " more such lines)");
  }
}
