package dev.sailfish.chunksorter;

import java.util.Arrays;

/**
 * Finds the appended block that a record lies in by the record's offset, which saves an ordinal per
 * record. A table says for every page which block is the first there, from where it is a step or
 * none; pages are a fraction of the blocks' mean length, so that the table stays in the nearest
 * cache.
 */
final class SourceFinder {
  private static final int PAGES_PER_BLOCK_BITS = 3;
  private static final int MIN_PAGE_BITS = 6;

  private int[] pages = new int[0];
  private int[] ends = new int[0];
  private int[] ordinals = new int[0];
  private int blocks;
  private int filled;
  private int pageBits;

  /** Forgets all blocks; the next ones, so many at most, lie between 0 and {@code end}. */
  void reset(int maxBlocks, int end) {
    int meanLength = end / Math.max(1, maxBlocks);
    int meanBits = Integer.SIZE - Integer.numberOfLeadingZeros(meanLength);
    pageBits = Math.max(MIN_PAGE_BITS, meanBits - PAGES_PER_BLOCK_BITS);
    int needed = (end >>> pageBits) + 1;
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
    int from = Math.max(start >>> pageBits, filled);
    int to = (end - 1 >>> pageBits) + 1;
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
    int block = pages[offset >>> pageBits];
    while (offset >= ends[block]) {
      block++;
    }
    return ordinals[block];
  }
}
