package dev.sailfish.hadoop.am.warm;

import dev.sailfish.hadoop.am.heartbeat.Beat;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the allocator look for work of containers that have become idle, at once and not with the
 * next heartbeat, and again and again while any is idle. A thread of its own.
 */
final class Rounds implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

  /** Between two looks while a container is idle: what it waits for is asked for meanwhile. */
  private static final long BETWEEN_MS = 50;

  private final WarmPool pool;
  private final Callable<Void> round;
  private final Semaphore signal = new Semaphore(0);

  Rounds(WarmPool pool, Callable<Void> round) {
    this.pool = pool;
    this.round = round;
  }

  /** A container has become idle. */
  void signal() {
    signal.release();
  }

  @Override
  public void run() {
    Beat.LOCAL.begin();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        boolean signalled =
            pool.anyIdle() ? signal.tryAcquire(BETWEEN_MS, TimeUnit.MILLISECONDS) : acquire();
        if (signalled) {
          signal.drainPermits();
        }
        round.call();
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        // The allocator's own thread comes by with its next heartbeat.
        LOG.warn("idle containers were not looked at", e);
      }
    }
  }

  private boolean acquire() throws InterruptedException {
    signal.acquire();
    return true;
  }
}
