package dev.sailfish.metaserver.state;

/**
 * Gives chunks their ids: never 0, never one twice, also when a journal is lost. Each leader starts
 * at its wall clock's milliseconds times 2^20, or where the leader before it was if that is more,
 * and counts up. So ids rise from start to start even without a journal, unless one opened more
 * than a million chunks in every millisecond it ran.
 */
final class ChunkIds {
  private static final int COUNTER_BITS = 20;

  private static final long MAX_AHEAD = 1L << 57;

  private long next = 1;

  /** A leader begins, at this time of its wall clock, in milliseconds since 1970. */
  void startAt(long wallMs) {
    next = Math.max(next, wallMs << COUNTER_BITS);
  }

  /** The id that will be given next. */
  long peek() {
    return next;
  }

  /** Goes on where a snapshot was taken. */
  void restore(long nextId) {
    next = nextId;
  }

  long next() {
    return next++;
  }

  /**
   * An id that is in use somewhere: it and those below it are not given any more. Covers a clock
   * that was set back between two starts; an id that is years ahead comes from somewhere else.
   */
  void observe(long id) {
    if (id >= next && id - next < MAX_AHEAD) {
      next = id + 1;
    }
  }
}
