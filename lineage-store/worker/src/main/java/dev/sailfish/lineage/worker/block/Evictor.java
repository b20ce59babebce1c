package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.EvictionOrder;
import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps some of the memory free by moving blocks to the tiers below, and has writers wait that find
 * no room in any. No block is deleted for room: it may be the only copy. On a thread of its own.
 */
public final class Evictor implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);
  private static final long PERIOD_MS = 50;

  /** A tier of which less is free gives blocks away until so much is free. */
  private static final double FREE = 0.1;

  private final Owner segments;
  private final Clock clock;
  private final Duration patience;
  private final EvictionOrder order;
  private final ScheduledExecutorService thread = new GuardedTimer("lineage-worker-room");

  /** What needs room. */
  @FunctionalInterface
  public interface Need {
    /**
     * Does it, or finds no room.
     *
     * @throws NoSpaceException when there is none
     * @throws IOException when it fails for another reason
     */
    void run() throws IOException;
  }

  /** What becomes of it. */
  @FunctionalInterface
  public interface Outcome {
    /** It is done, or failed for another reason than room, or there was none in time. */
    void ended(IOException failure);
  }

  /**
   * @param patience how long a writer waits for room
   * @param policy which blocks go first
   */
  public Evictor(
      Owner segments, Changes changes, Clock clock, Duration patience, EvictionOrder policy) {
    this.segments = segments;
    this.clock = clock;
    this.patience = patience;
    this.order =
        new EvictionOrder() {
          @Override
          public long rank(Segment segment) {
            return policy.rank(segment);
          }

          @Override
          public void moved(Segment segment) {
            BlockId.ofSegment(segment.name()).ifPresent(id -> changes.held(id, segment.tier()));
          }
        };
  }

  /** Begins to keep memory free. */
  public void start() {
    thread.scheduleWithFixedDelay(this::keepFree, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private void keepFree() {
    StoreUsage usage = segments.usage();
    for (Tier tier : new Tier[] {Tier.SSD, Tier.MEMORY}) {
      long wanted = (long) (usage.capacityBytes(tier) * FREE) - usage.freeBytes(tier);
      if (wanted > 0) {
        evict(tier, wanted);
      }
    }
  }

  private void evict(Tier tier, long bytes) {
    try {
      long left = segments.evict(tier, bytes, order);
      LOG.debug("tier={} wantedBytes={} leftBytes={}", tier, bytes, left);
    } catch (IOException e) {
      LOG.warn("a block cannot leave tier={}: {}", tier, e.toString());
    }
  }

  /**
   * Does something as soon as there is room for it: at once on the caller's thread, or later on
   * this object's.
   */
  public void whenRoom(Need need, Outcome outcome) {
    attempt(need, outcome, clock.nanoTime() + patience.toNanos());
  }

  private void attempt(Need need, Outcome outcome, long endNs) {
    try {
      need.run();
    } catch (NoSpaceException e) {
      if (clock.nanoTime() - endNs < 0) {
        thread.schedule(() -> attempt(need, outcome, endNs), PERIOD_MS, TimeUnit.MILLISECONDS);
      } else {
        outcome.ended(
            new RequestRefusedException(
                Status.NO_SPACE,
                ("the worker is full of blocks that are nowhere else, and no room came in %s: add"
                        + " directories or delete files; %s")
                    .formatted(patience, e.getMessage())));
      }
      return;
    } catch (IOException e) {
      outcome.ended(e);
      return;
    } catch (RuntimeException e) {
      outcome.ended(new IOException(e));
      return;
    }
    outcome.ended(null);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
