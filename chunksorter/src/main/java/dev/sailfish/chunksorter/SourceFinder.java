package dev.sailfish.chunksorter;

import java.util.Arrays;

/**
 * Finds the appended block that a record lies in by the record's offset: a table says for every 4
 * KiB which block is the first there, from where it is a step or none. Saves an ordinal per record.
 */
final class SourceFinder {
  private static final int PAGE_BITS = 12;

  private int[] pages = new int[0];
  private int[] ends = new int[0];
  private int[] ordinals = new int[0];
  private int blocks;
  private int filled;

  /** Forgets all blocks; the next ones lie between 0 and {@code end}. */
  void reset(int maxBlocks, int end) {
    int needed = (end >>> PAGE_BITS) + 1;
    if (pages.length < needed) {
      pages = new int[needed];
    }
    if (ends.length < maxBlocks) {
      ends = new int[maxBlocks];
      ordinals = new int[maxBlocks];
    }
    blocks = 0;
    filled = 0;
  }

  /** Adds the records' bytes of source {@code ordinal}; call in the order of {@code start}. */
  void add(int ordinal, int start, int end) {
    if (start == end) {
      return;
    }
    int from = Math.max(start >>> PAGE_BITS, filled);
    int to = (end - 1 >>> PAGE_BITS) + 1;
    if (from < to) {
      Arrays.fill(pages, from, to, blocks);
      filled = to;
    }
    ends[blocks] = end;
    ordinals[blocks] = ordinal;
    blocks++;
  }

  /** The source of the record at {@code offset}, which must lie in one of the blocks. */
  int find(int offset) {
    int block = pages[offset >>> PAGE_BITS];
    while (offset >= ends[block]) {
      block++;
    }
    return ordinals[block];
  }
}
