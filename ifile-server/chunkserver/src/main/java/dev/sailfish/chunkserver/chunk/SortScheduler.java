package dev.sailfish.chunkserver.chunk;

/**
 * Has STABLE chunks sorted, some before others. Called with a chunk's monitor held: neither waits
 * nor calls another chunk. Thread-safe.
 */
public interface SortScheduler {
  /** The chunk is STABLE and wants to be sorted. */
  void schedule(Chunk chunk);

  /** A reader waits for the chunk, which is not sorted yet, and perhaps not STABLE. */
  void await(Chunk chunk);

  /** A segment was deleted: there may be room for sorts that found none. */
  void retry();

  /** How far a chunk is on its way; null when its sort is not scheduled, or put off. */
  SortPlace placeOf(Chunk chunk);
}
