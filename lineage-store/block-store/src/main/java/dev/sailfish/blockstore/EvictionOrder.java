package dev.sailfish.blockstore;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Says which segments leave a tier first when room is needed there; see {@link Owner#evict}. Called
 * by the thread that evicts, without a lock.
 */
@FunctionalInterface
public interface EvictionOrder {
  /** What was used longest ago goes first, and nothing is deleted. */
  EvictionOrder LEAST_RECENTLY_USED = segment -> segment.history().last();

  /** What was used least often of late goes first, and nothing is deleted. */
  EvictionOrder LEAST_FREQUENTLY_USED = segment -> (long) (segment.history().weight() * (1L << 20));

  /**
   * What was used once goes first, then that whose last use but one is longest ago (LRU-2: O'Neil
   * and others, 1993); nothing is deleted. Reading much once leaves what is used again and again.
   */
  EvictionOrder LEAST_RECENTLY_USED_TWICE =
      segment -> {
        UseHistory history = segment.history();
        return history.before() == 0 ? history.last() - Long.MAX_VALUE : history.before();
      };

  /** The smaller, the earlier it goes. Asked once per segment and eviction; must not block. */
  long rank(Segment segment);

  /** All of these, the first to go first. Asked once per eviction; must not block. */
  default List<Segment> order(Collection<Segment> candidates) {
    /** A segment, and when it goes. */
    record Candidate(Segment segment, long rank) {}

    return candidates.stream()
        .map(segment -> new Candidate(segment, rank(segment)))
        .sorted(Comparator.comparingLong(Candidate::rank))
        .map(Candidate::segment)
        .toList();
  }

  /**
   * Whether the segment may be deleted when no lower tier has room for it, because its content can
   * be had again from elsewhere. Must not block.
   */
  default boolean mayDelete(Segment segment) {
    return false;
  }

  /** Told of each segment that has moved to a lower tier, in its new place. Must not block. */
  default void moved(Segment segment) {}

  /** Told of each segment that was deleted for room. Must not block. */
  default void deleted(Segment segment) {}
}
