package dev.sailfish.chunkserver.chunk;

/**
 * Hears what happens to chunks; called with the chunk's monitor held: must neither wait nor call
 * another chunk.
 */
public interface ChunkListener {
  /** There is something new to report to the metaserver. */
  void changed(Chunk chunk);

  /** The chunk was given its first segment. */
  void opened(Chunk chunk);

  /** The chunk takes no more, because a block did not fit behind its {@code rawBytes}. */
  void full(Chunk chunk, long rawBytes);

  /** The chunk wants to be sorted. */
  void stable(Chunk chunk);

  /** A reader waits for the chunk, which is not sorted yet. */
  void awaited(Chunk chunk);

  /** A segment was deleted: there may be room for something else. */
  void freed();
}
