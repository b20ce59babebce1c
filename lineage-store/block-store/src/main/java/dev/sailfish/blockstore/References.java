package dev.sailfish.blockstore;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts who uses a segment, from one on; once nobody does, nobody can again. Thread-safe. */
final class References {
  private final AtomicInteger count = new AtomicInteger(1);

  /** False when they are gone. */
  boolean add() {
    int before = count.get();
    while (before > 0) {
      if (count.compareAndSet(before, before + 1)) {
        return true;
      }
      before = count.get();
    }
    return false;
  }

  /** How many are left; negative when there was none. */
  int remove() {
    int before;
    do {
      before = count.get();
      if (before <= 0) {
        return -1;
      }
    } while (!count.compareAndSet(before, before - 1));
    return before - 1;
  }

  boolean areGone() {
    return count.get() <= 0;
  }
}
