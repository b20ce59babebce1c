package dev.sailfish.lineage.qfs.wire;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Direct buffers of one size for one client, used again and again, as making them is dear. Who
 * takes one owns it until it is given back. Thread-safe.
 */
public final class Buffers {
  private final int bytes;
  private final int kept;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();

  /**
   * @param bytes of each
   * @param kept so many are kept for the next use at most
   */
  public Buffers(int bytes, int kept) {
    this.bytes = bytes;
    this.kept = kept;
  }

  /** Bytes of each. */
  public int bytes() {
    return bytes;
  }

  /** An empty buffer. */
  public synchronized ByteBuffer take() {
    ByteBuffer buffer = free.pollLast();
    return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer.clear();
  }

  /** Takes back what {@link #take} gave; nobody may use it any more. */
  public synchronized void give(ByteBuffer buffer) {
    if (free.size() < kept) {
      free.addLast(buffer);
    }
  }
}
