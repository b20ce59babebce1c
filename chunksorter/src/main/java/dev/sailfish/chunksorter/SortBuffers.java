package dev.sailfish.chunksorter;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Buffers for the first sorts of a process, made ready while nobody waits: the first touch of their
 * pages takes a quarter of the time of a sort, and more on some virtual machines. A sorter that
 * needs a buffer takes one from here, if one is long enough, and keeps it. Thread-safe.
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
   * Gives a buffer away.
   *
   * @param least how long it must be, in bytes
   * @param most how long it may be
   * @return null when none of those that are here is of such a length
   */
  synchronized ByteBuffer take(int least, long most) {
    for (Iterator<ByteBuffer> each = ready.iterator(); each.hasNext(); ) {
      ByteBuffer buffer = each.next();
      if (buffer.capacity() >= least && buffer.capacity() <= most) {
        each.remove();
        return buffer;
      }
    }
    return null;
  }
}
