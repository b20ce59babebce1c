package dev.sailfish.lineage.worker.block;

import dev.sailfish.ground.server.guard.GuardedTimer;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at one block after the other, all round again and again, whether it is damaged. */
public final class Scrubber implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  private final BlockTable blocks;
  private final long periodMs;
  private final ScheduledExecutorService thread = new GuardedTimer("lineage-worker-scrubber");
  private BlockId last;

  /**
   * @param periodMs from one block to the next, in milliseconds
   */
  public Scrubber(BlockTable blocks, long periodMs) {
    this.blocks = blocks;
    this.periodMs = periodMs;
  }

  /** Begins. */
  public void start() {
    thread.scheduleWithFixedDelay(this::look, periodMs, periodMs, TimeUnit.MILLISECONDS);
  }

  private void look() {
    BlockId next = blocks.next(last);
    last = next;
    if (next == null) {
      return; // from the beginning the next time
    }
    try {
      blocks.isDamaged(next);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} cannot be looked at: {}", next, e.toString());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
