package dev.sailfish.chunkserver.chunk;

import dev.sailfish.format.BlockHeader;
import java.util.HashMap;
import java.util.Map;

/**
 * Which appended blocks a chunk holds, by (map, attempt, sequence), and how much they are together.
 * Guarded by the chunk's lock.
 */
public final class HeldBlocks {
  /** What an entry takes on the heap: a range, and mostly a number and a node of the map. */
  static final int ENTRY_BYTES = 96;

  private static final int[] NONE = {};

  /**
   * The sequences of each map attempt, which mostly come one after the other: ascending ranges that
   * neither overlap nor touch, the first and the last sequence of each.
   */
  private final Map<Long, int[]> byAttempt = new HashMap<>();

  private int entries;
  private int blocks;
  private long records;
  private long rawBytes;

  /** Whether the block is held. */
  public boolean contains(int map, int attempt, int sequence) {
    int[] ranges = byAttempt.getOrDefault(key(map, attempt), NONE);
    int at = floor(ranges, sequence);
    return at >= 0 && sequence <= ranges[at + 1];
  }

  /** Whether the block is held. */
  public boolean contains(BlockHeader block) {
    return contains(block.map(), block.attempt(), block.sequence());
  }

  /**
   * Adds a block and counts it.
   *
   * @return false when it was held before
   */
  public boolean add(BlockHeader block) {
    return add(block.map(), block.attempt(), block.sequence(), block.records(), block.rawLength());
  }

  /** The same of a block whose header is not there. */
  boolean add(int map, int attempt, int sequence, int blockRecords, int blockRawBytes) {
    if (!add(key(map, attempt), sequence)) {
      return false;
    }
    blocks++;
    records += blockRecords;
    rawBytes += blockRawBytes;
    return true;
  }

  private boolean add(long key, int sequence) {
    int[] ranges = byAttempt.getOrDefault(key, NONE);
    int at = floor(ranges, sequence);
    if (at >= 0 && sequence <= ranges[at + 1]) {
      return false;
    }
    int behind = at + 2;
    boolean joinsLeft = at >= 0 && ranges[at + 1] + 1 == sequence;
    boolean joinsRight = behind < ranges.length && ranges[behind] - 1 == sequence;
    if (joinsLeft && joinsRight) {
      int[] joined = new int[ranges.length - 2];
      System.arraycopy(ranges, 0, joined, 0, at + 1);
      System.arraycopy(ranges, behind + 1, joined, at + 1, joined.length - at - 1);
      byAttempt.put(key, joined);
      entries--;
    } else if (joinsLeft) {
      ranges[at + 1] = sequence;
    } else if (joinsRight) {
      ranges[behind] = sequence;
    } else {
      int[] longer = new int[ranges.length + 2];
      System.arraycopy(ranges, 0, longer, 0, behind);
      longer[behind] = sequence;
      longer[behind + 1] = sequence;
      System.arraycopy(ranges, behind, longer, behind + 2, ranges.length - behind);
      byAttempt.put(key, longer);
      entries++;
    }
    return true;
  }

  /** Where the last range is that begins at or before {@code sequence}; -2 when none does. */
  private static int floor(int[] ranges, int sequence) {
    int at = ranges.length - 2;
    while (at >= 0 && ranges[at] > sequence) {
      at -= 2;
    }
    return at;
  }

  private static long key(int map, int attempt) {
    return (long) map << 32 | attempt & 0xffffffffL;
  }

  /** How many ranges of blocks are kept: what the memory that they take follows from. */
  int entries() {
    return entries;
  }

  /** How many blocks are held. */
  public int blocks() {
    return blocks;
  }

  /** Records in them. */
  public long records() {
    return records;
  }

  /** Their bytes before compression. */
  public long rawBytes() {
    return rawBytes;
  }
}
