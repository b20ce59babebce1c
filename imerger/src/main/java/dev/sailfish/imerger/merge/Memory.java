package dev.sailfish.imerger.merge;

/** Counts the bytes that a merge holds against its limit. For one thread. */
public final class Memory {
  private final long limit;
  private long used;

  /**
   * @param limit in bytes
   */
  public Memory(long limit) {
    this.limit = limit;
  }

  /** The limit in bytes. */
  public long limit() {
    return limit;
  }

  /** Bytes that are held; more than the limit when something was too large for it. */
  public long used() {
    return used;
  }

  /** Bytes that may still be taken; may be negative. */
  public long free() {
    return limit - used;
  }

  /** Counts {@code bytes} more (or fewer) as held. */
  public void change(long bytes) {
    used += bytes;
  }
}
