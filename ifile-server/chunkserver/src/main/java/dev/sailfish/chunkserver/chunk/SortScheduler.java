package dev.sailfish.chunkserver.chunk;

/**
 * Has STABLE chunks sorted, some before others. All but {@link #together} is called with a chunk's
 * monitor held: neither waits nor calls another chunk. Thread-safe.
 */
public interface SortScheduler {
  /** The chunk is STABLE and wants to be sorted. */
  void schedule(Chunk chunk);

  /** Runs what makes chunks STABLE that may be sorted as one; until its end no sort begins. */
  void together(Runnable closing);

  /** A reader waits for the chunk, which is not sorted yet, and perhaps not STABLE. */
  void await(Chunk chunk);

  /** A segment was deleted: there may be room for sorts that found none. */
  void retry();

  /** How far a chunk is on its way; null when its sort is not scheduled, or put off. */
  SortPlace placeOf(Chunk chunk);
}
