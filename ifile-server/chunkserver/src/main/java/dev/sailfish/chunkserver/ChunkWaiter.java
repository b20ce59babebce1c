package dev.sailfish.chunkserver;

import dev.sailfish.protocol.Status;

/**
 * Someone who waits until a chunk is sorted. Exactly one method is called, once, on any thread and
 * without a lock held; neither may wait.
 */
interface ChunkWaiter {
  /** The chunk can be read; the reference in it belongs to the callee. */
  void sorted(SortedChunk chunk);

  /** It cannot, or not in time. */
  void refused(Status status, String message);
}
