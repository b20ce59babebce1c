package dev.sailfish.lineage.client;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Buffers of one size outside the heap, a few of which are kept for the next file. Thread-safe. */
final class Buffers {
  private static final int KEPT = 8;

  private final int bytes;
  private final Deque<ByteBuffer> free = new ArrayDeque<>(KEPT);

  Buffers(int bytes) {
    this.bytes = bytes;
  }

  /** How large each is. */
  int bytes() {
    return bytes;
  }

  /** An empty buffer for the caller alone. */
  ByteBuffer take() {
    synchronized (this) {
      if (!free.isEmpty()) {
        return free.pop().clear();
      }
    }
    return ByteBuffer.allocateDirect(bytes);
  }

  /** The caller does not use it any more. */
  synchronized void giveBack(ByteBuffer buffer) {
    if (free.size() < KEPT) {
      free.push(buffer);
    }
  }
}
