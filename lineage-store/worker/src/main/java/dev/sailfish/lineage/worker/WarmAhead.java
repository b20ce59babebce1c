package dev.sailfish.lineage.worker;

import com.sun.management.OperatingSystemMXBean;
import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.ground.server.guard.GuardedTimer;
import java.io.Closeable;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has memory made ready for blocks that writers on this host will begin, while this host has a
 * processor to spare: half of one at most.
 */
final class WarmAhead implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmAhead.class);
  private static final long PERIOD_MS = 100;
  private static final long BUSY_MS = 50;
  private static final long CLOSE_DEADLINE_MS = 5_000;

  /** Of one processor: it counts as spare when so much of it is idle. */
  private static final double SPARE = 0.9;

  /** Of one processor: the host counts as busy when less of it is idle. */
  private static final double BUSY = 0.1;

  private final BlockStore store;
  private final ScheduledExecutorService timer = new GuardedTimer("lineage-worker-warm");
  private final OperatingSystemMXBean host =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** What this has itself used of a processor since the host was looked at last. */
  private double own;

  /** How many processors were idle then; negative when nobody knows. */
  private double idle = -1;

  private long lookedNs = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);

  /** Whether that it failed is in the log: it tries again in each period. */
  private boolean isFailing;

  WarmAhead(BlockStore store) {
    this.store = store;
  }

  void start() {
    timer.scheduleWithFixedDelay(this::tick, PERIOD_MS, PERIOD_MS - BUSY_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Whether no processor of this host was idle when that was looked at last, just now or before.
   */
  boolean isHostBusy() {
    double now = idle();
    return now >= 0 && now < BUSY;
  }

  /** Looks at the host if that was not done within the period. */
  private synchronized double idle() {
    long nowNs = System.nanoTime();
    if (nowNs - lookedNs >= TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)) {
      double load = host.getCpuLoad();
      idle = load < 0 ? -1 : (1 - load) * host.getAvailableProcessors() + own;
      own = 0;
      lookedNs = nowNs;
    }
    return idle;
  }

  private synchronized void used(long busyNs) {
    own += busyNs / (double) TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
  }

  private void tick() {
    if (!store.wantsWarmAhead()
        || idle() < SPARE) { // to ask for the host's load takes a millisecond
      return;
    }
    long startNs = System.nanoTime();
    long busyNs = 0;
    try {
      while (busyNs < TimeUnit.MILLISECONDS.toNanos(BUSY_MS) && store.warmAhead() > 0) {
        busyNs = System.nanoTime() - startNs;
      }
      isFailing = false;
    } catch (UncheckedIOException e) {
      if (!isFailing) {
        LOG.warn("no memory is made ready for blocks to come, until that is possible again", e);
      }
      isFailing = true;
    }
    used(busyNs);
  }

  /** The store is not used any more when this returns. */
  @Override
  public void close() {
    timer.shutdownNow();
    try {
      timer.awaitTermination(CLOSE_DEADLINE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
