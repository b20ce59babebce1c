package dev.sailfish.blockstore;

/**
 * Says which segments leave a tier first when room is needed there; see {@link Owner#evict}. Called
 * by the thread that evicts, without a lock.
 */
@FunctionalInterface
public interface EvictionOrder {
  /** What was acquired longest ago goes first, and nothing is deleted. */
  EvictionOrder LEAST_RECENTLY_USED = Segment::lastUse;

  /** The smaller, the earlier it goes. Asked once per segment and eviction; must not block. */
  long rank(Segment segment);

  /**
   * Whether the segment may be deleted when no lower tier has room for it, because its content can
   * be had again from elsewhere. Must not block.
   */
  default boolean mayDelete(Segment segment) {
    return false;
  }

  /** Told of each segment that has moved to a lower tier, in its new place. Must not block. */
  default void moved(Segment segment) {}
}
