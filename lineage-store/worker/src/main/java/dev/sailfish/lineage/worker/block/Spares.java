package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.wire.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Blocks that other workers have, too, as far as is known here. When room is short they are the
 * first to go, and nobody's share of memory is charged for them. The master is asked before: it
 * takes this worker out of the block's holders if another one is left, so that no two holders drop
 * a block because of each other. One that has no answer is asked for again, and is neither dropped
 * nor told of otherwise until then. Thread-safe.
 */
public final class Spares {
  /** A tier of which less is free is short of room. */
  static final double FREE = 0.1;

  private static final double PERCENT = 100;

  /** When the master has not answered for so long, a block leaves its tier as others do. */
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);

  private final Owner segments;
  private final BlockTable blocks;
  private final Clock clock;
  private final int percent;

  /** The blocks, and since when the master is asked; null: it is not. */
  private final Map<BlockId, Long> known = new LinkedHashMap<>();

  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean isShort;

  /**
   * @param percent how much of the memory may be used for blocks that readers here have left
   */
  public Spares(Owner segments, BlockTable blocks, Clock clock, int percent) {
    this.segments = segments;
    this.blocks = blocks;
    this.clock = clock;
    this.percent = percent;
  }

  /** Another worker has this block, too. */
  public synchronized void add(BlockId id) {
    known.putIfAbsent(id, null);
  }

  /**
   * Whether a copy of a block of so many bytes may be put into memory. Nothing leaves memory for it
   * but other copies, later: they are asked for when there is no room.
   */
  public boolean admits(long bytes) {
    StoreUsage usage = segments.usage();
    long capacity = usage.capacityBytes(Tier.MEMORY);
    long most = (long) (capacity / PERCENT * percent);
    long spareFree = usage.freeBytes(Tier.MEMORY) - (long) (capacity * FREE);
    if (bytes > most) {
      return false;
    }
    long missing = Math.max(bytes - spareFree, bytes + bytes() - most);
    if (missing > 0) {
      ask(Tier.MEMORY, missing);
    }
    return missing <= 0;
  }

  /** Bytes of them in memory. */
  public synchronized long bytes() {
    return in(Tier.MEMORY).stream().mapToLong(Segment::length).sum();
  }

  /** Those in a tier that may go, used longest ago first; forgets what is here no more. */
  private List<Segment> in(Tier tier) {
    known.keySet().removeIf(id -> blocks.sealedTier(id) == null);
    return known.keySet().stream()
        .flatMap(id -> segments.find(id.segment()).stream())
        .filter(segment -> segment.tier() == tier && segment.isEvictable())
        .sorted(Comparator.comparingLong(segment -> segment.history().last()))
        .toList();
  }

  /**
   * Room is short in a tier: has some leave it soon.
   *
   * @return bytes of those that are going to, if the master agrees; at least so many if there are
   */
  synchronized long ask(Tier tier, long bytes) {
    long asked = 0;
    long nowNs = clock.nanoTime();
    for (Segment segment : in(tier)) {
      BlockId id = BlockId.ofSegment(segment.name()).orElseThrow();
      Long sinceNs = known.get(id);
      boolean isAsked = sinceNs != null || asked < bytes;
      if (isAsked && sinceNs == null) {
        known.put(id, nowNs);
      }
      if (isAsked && isWaiting(id, nowNs)) {
        asked += segment.length();
      }
    }
    return asked;
  }

  private boolean isWaiting(BlockId id, long nowNs) {
    Long sinceNs = known.get(id);
    return sinceNs == null || nowNs - sinceNs < PATIENCE_NS;
  }

  /** Whether a segment is left alone by others who make room. */
  synchronized boolean has(Segment segment) {
    BlockId id = BlockId.ofSegment(segment.name()).orElse(null);
    return id != null && known.containsKey(id) && isWaiting(id, clock.nanoTime());
  }

  /**
   * What the master is to be asked now, and the tier that each is in; again until {@link #answered}
   * is called.
   */
  public synchronized Map<BlockId, Tier> asked(int limit) {
    Map<BlockId, Tier> asked = new LinkedHashMap<>();
    List<BlockId> gone = new ArrayList<>();
    known.forEach(
        (id, sinceNs) -> {
          Tier tier = blocks.sealedTier(id);
          if (tier == null) {
            gone.add(id);
          } else if (sinceNs != null && asked.size() < limit) {
            asked.put(id, tier);
          }
        });
    known.keySet().removeAll(gone);
    return asked;
  }

  /**
   * The master has answered for a block.
   *
   * @param isElsewhere whether this worker has it no more, as far as the master is concerned
   */
  public void answered(BlockId id, boolean isElsewhere) {
    synchronized (this) {
      known.remove(id);
    }
    if (isElsewhere) {
      blocks.giveAway(id);
      dropped.incrementAndGet();
    }
  }

  /** How many went. */
  public long dropped() {
    return dropped.get();
  }

  void setShort(boolean isShortNow) {
    isShort = isShortNow;
  }

  /** Whether a tier is short of room. */
  public boolean isShort() {
    return isShort;
  }
}
