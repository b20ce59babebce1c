package dev.sailfish.chunksorter;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Buffers for the first sorts of a process, made ready while nobody waits: on some virtual machines
 * the first touch of their pages takes longer than a sort of what fits into them. A sorter that
 * needs a buffer asks here first, and keeps what it gets. Thread-safe.
 */
public final class SortBuffers {
  private final Deque<ByteBuffer> ready = new ArrayDeque<>();

  /**
   * Makes a buffer ready.
   *
   * @param bytes how long it is
   * @throws OutOfMemoryError when the process may have no more memory beside the heap
   */
  public void add(int bytes) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes); // touches its pages: it is all zeros
    synchronized (this) {
      ready.add(buffer);
    }
  }

  /**
   * Gives a buffer away, or lets go of it where it is of no use: none stays here beside a longer
   * one that a sorter has made instead.
   *
   * @param least how long it must be, in bytes
   * @param most how long it may be
   * @return null when there is none, or not of such a length
   */
  synchronized ByteBuffer take(int least, long most) {
    ByteBuffer buffer = ready.poll();
    boolean fits = buffer != null && buffer.capacity() >= least && buffer.capacity() <= most;
    return fits ? buffer : null;
  }
}
