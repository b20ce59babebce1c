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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps some of each tier free, and has writers wait that find no room in any: first {@link Spares}
 * go, then blocks move to the tiers below. Where no tier below has room, blocks go whose files are
 * below, in the under store; no other block is deleted for room: it may be the only copy. On a
 * thread of its own; writers that wait try on another one, so that none of them waits for a move.
 */
public final class Evictor implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);
  private static final long PERIOD_MS = 50;

  /** While a writer waits, copies of files are asked for as often as that. */
  private static final long ASK_NS = TimeUnit.SECONDS.toNanos(1);

  private static final int FILES_AT_ONCE = 16;

  private final Owner segments;
  private final BlockTable blocks;
  private final Spares spares;
  private final Checkpoints checkpoints;
  private final Clock clock;
  private final Duration patience;
  private final EvictionOrder order;
  private final ScheduledExecutorService thread = new GuardedTimer("lineage-worker-room");
  private final ScheduledExecutorService writers = new GuardedTimer("lineage-worker-writers");
  private long nextAskNs;

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

  /** Has files copied below, so that their blocks may go. Must not wait, and never throws. */
  @FunctionalInterface
  public interface Checkpoints {
    /**
     * A writer waits for room, and nothing may go.
     *
     * @param fids files of the blocks that were used longest ago; none that is below already
     */
    void copy(List<Long> fids);
  }

  /**
   * @param spares go before all others
   * @param patience how long a writer waits for room
   * @param policy which of the others go first
   */
  public Evictor(
      Owner segments,
      BlockTable blocks,
      Spares spares,
      Clock clock,
      Duration patience,
      EvictionOrder policy,
      Checkpoints checkpoints) {
    this.segments = segments;
    this.blocks = blocks;
    this.spares = spares;
    this.checkpoints = checkpoints;
    this.nextAskNs = clock.nanoTime();
    this.clock = clock;
    this.patience = patience;
    this.order =
        new EvictionOrder() {
          @Override
          public long rank(Segment segment) {
            return policy.rank(segment);
          }

          @Override
          public List<Segment> order(Collection<Segment> candidates) {
            return policy.order(
                candidates.stream().filter(segment -> !spares.has(segment)).toList());
          }

          @Override
          public void moved(Segment segment) {
            BlockId.ofSegment(segment.name()).ifPresent(id -> blocks.moved(id, segment.tier()));
          }

          @Override
          public boolean mayDelete(Segment segment) {
            return isBelow(segment);
          }

          @Override
          public void deleted(Segment segment) {
            BlockId.ofSegment(segment.name()).ifPresent(blocks::dropped);
          }
        };
  }

  private boolean isBelow(Segment segment) {
    return BlockId.ofSegment(segment.name()).map(id -> blocks.isBelow(id.fid())).orElse(false);
  }

  /** Begins to keep memory free. */
  public void start() {
    thread.scheduleWithFixedDelay(this::keepFree, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private void keepFree() {
    StoreUsage usage = segments.usage();
    boolean isShort = false;
    for (Tier tier : new Tier[] {Tier.DISK, Tier.SSD, Tier.MEMORY}) {
      long wanted = (long) (usage.capacityBytes(tier) * Spares.FREE) - usage.freeBytes(tier);
      isShort |= wanted > 0;
      long others = wanted > 0 ? wanted - spares.ask(tier, wanted) : 0;
      if (others > 0) {
        evict(tier, others);
      }
    }
    spares.setShort(isShort);
  }

  private void evict(Tier tier, long bytes) {
    try {
      long left = segments.evict(tier, bytes, order);
      LOG.debug("tier={} wantedBytes={} leftBytes={}", tier, bytes, left);
    } catch (IOException | RuntimeException e) {
      LOG.warn("a block cannot leave tier={}: {}", tier, e.toString());
    }
  }

  /**
   * Does something as soon as there is room for it: at once on the caller's thread, or later on one
   * of this object's.
   */
  public void whenRoom(Need need, Outcome outcome) {
    attempt(need, outcome, clock.nanoTime() + patience.toNanos());
  }

  private void attempt(Need need, Outcome outcome, long endNs) {
    try {
      need.run();
    } catch (NoSpaceException e) {
      askForCopies();
      if (clock.nanoTime() - endNs < 0) {
        writers.schedule(() -> attempt(need, outcome, endNs), PERIOD_MS, TimeUnit.MILLISECONDS);
      } else {
        outcome.ended(
            new RequestRefusedException(
                Status.NO_SPACE,
                ("the worker is full of blocks that are nowhere else, and no room came in %s,"
                        + " though it copies files below that are under a mount: add directories,"
                        + " delete files, or mount an under store above them; %s")
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

  private void askForCopies() {
    synchronized (this) {
      if (clock.nanoTime() - nextAskNs < 0) {
        return;
      }
      nextAskNs = clock.nanoTime() + ASK_NS;
    }
    List<Long> oldest =
        segments.names().stream()
            .map(segments::find)
            .flatMap(Optional::stream)
            .filter(segment -> segment.isSealed() && !isBelow(segment))
            .map(segment -> new Candidate(segment, order.rank(segment)))
            .sorted(Comparator.comparingLong(Candidate::rank))
            .flatMap(candidate -> BlockId.ofSegment(candidate.segment().name()).stream())
            .map(BlockId::fid)
            .distinct()
            .limit(FILES_AT_ONCE)
            .toList();
    checkpoints.copy(oldest);
  }

  private record Candidate(Segment segment, long rank) {}

  @Override
  public void close() {
    thread.shutdownNow();
    writers.shutdownNow();
  }
}
