package dev.sailfish.chunkserver.chunk;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which appended blocks a chunk holds, by (map, attempt, sequence). Sequences of one attempt mostly
 * come one after the other, so each attempt is a short list of ranges. Guarded by the chunk's lock.
 */
public final class HeldBlocks {
  private final Map<Long, Ranges> byAttempt = new HashMap<>();

  /** Whether the block is held. */
  public boolean contains(int map, int attempt, int sequence) {
    Ranges ranges = byAttempt.get(key(map, attempt));
    return ranges != null && ranges.contains(sequence);
  }

  /**
   * Adds a block.
   *
   * @return false when it was held before
   */
  public boolean add(int map, int attempt, int sequence) {
    return byAttempt.computeIfAbsent(key(map, attempt), key -> new Ranges()).add(sequence);
  }

  private static long key(int map, int attempt) {
    return (long) map << 32 | attempt & 0xffffffffL;
  }

  /** Disjoint, not adjacent, ascending ranges of sequences: first and last, both included. */
  private static final class Ranges {
    private int[] firsts = new int[1];
    private int[] lasts = new int[1];
    private int count;

    /** The last range that begins at or before {@code sequence}, or -1. */
    private int floor(int sequence) {
      if (count > 0 && firsts[count - 1] <= sequence) {
        return count - 1;
      }
      int at = Arrays.binarySearch(firsts, 0, count, sequence);
      return at >= 0 ? at : -at - 2;
    }

    boolean contains(int sequence) {
      int at = floor(sequence);
      return at >= 0 && sequence <= lasts[at];
    }

    boolean add(int sequence) {
      int at = floor(sequence);
      if (at >= 0 && sequence <= lasts[at]) {
        return false;
      }
      boolean joinsLeft = at >= 0 && lasts[at] + 1 == sequence;
      boolean joinsRight = at + 1 < count && firsts[at + 1] - 1 == sequence;
      if (joinsLeft && joinsRight) {
        lasts[at] = lasts[at + 1];
        remove(at + 1);
      } else if (joinsLeft) {
        lasts[at] = sequence;
      } else if (joinsRight) {
        firsts[at + 1] = sequence;
      } else {
        insert(at + 1, sequence);
      }
      return true;
    }

    private void remove(int at) {
      System.arraycopy(firsts, at + 1, firsts, at, count - at - 1);
      System.arraycopy(lasts, at + 1, lasts, at, count - at - 1);
      count--;
    }

    private void insert(int at, int sequence) {
      if (count == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * count);
        lasts = Arrays.copyOf(lasts, 2 * count);
      }
      System.arraycopy(firsts, at, firsts, at + 1, count - at);
      System.arraycopy(lasts, at, lasts, at + 1, count - at);
      firsts[at] = sequence;
      lasts[at] = sequence;
      count++;
    }
  }
}
