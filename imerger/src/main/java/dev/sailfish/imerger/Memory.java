package dev.sailfish.imerger;

/** Counts the bytes that a merge holds against its limit. For one thread. */
final class Memory {
  private final long limit;
  private long used;

  Memory(long limit) {
    this.limit = limit;
  }

  long limit() {
    return limit;
  }

  long used() {
    return used;
  }

  /** Bytes that may still be taken; negative when something was too large for the limit. */
  long free() {
    return limit - used;
  }

  /** Counts {@code bytes} more (or fewer) as held. */
  void change(long bytes) {
    used += bytes;
  }
}
