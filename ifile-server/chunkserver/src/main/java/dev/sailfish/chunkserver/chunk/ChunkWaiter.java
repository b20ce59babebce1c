package dev.sailfish.chunkserver.chunk;

import dev.sailfish.ground.wire.Status;

/**
 * Someone who waits until a chunk is sorted. Exactly one method is called, once, on any thread and
 * without a lock held; neither may wait.
 */
public interface ChunkWaiter {
  /** The chunk can be read; the reference in it belongs to the callee. */
  void sorted(SortedFile chunk);

  /**
   * Not yet, and the waiter has waited long enough.
   *
   * @param detail in what state the chunk is
   * @param putOff whether nothing is done for it now: blocks still arrive, or its sort finds no
   *     room or no key
   * @param place of the chunk among those to be sorted; null when it has none
   */
  void notSorted(String detail, boolean putOff, SortPlace place);

  /** It cannot. */
  void refused(Status status, String message);
}
