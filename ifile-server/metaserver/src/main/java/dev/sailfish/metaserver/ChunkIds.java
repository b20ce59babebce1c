package dev.sailfish.metaserver;

/**
 * Gives chunks their ids: never 0, never one twice, also over restarts. An id starts at the
 * milliseconds of the metaserver's start times 2^20 and counts up. A later start begins above all
 * ids of an earlier one unless that opened more than a million chunks in every millisecond it ran.
 */
final class ChunkIds {
  private static final int COUNTER_BITS = 20;

  private static final long MAX_AHEAD = 1L << 57;

  private long next;

  ChunkIds(long startMs) {
    next = Math.max(1, startMs << COUNTER_BITS);
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
