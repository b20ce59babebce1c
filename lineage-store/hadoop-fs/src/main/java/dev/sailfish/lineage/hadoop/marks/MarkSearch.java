package dev.sailfish.lineage.hadoop.marks;

import java.util.Arrays;

/** Looks for the mark of one file (Boyer, Moore and Horspool). Immutable. */
final class MarkSearch {
  private final byte[] mark;

  /**
   * By a byte: how far it is from its last place in the mark, but for the last byte, to the end.
   */
  private final int[] steps = new int[1 << Byte.SIZE];

  /**
   * @param bytes that have the mark
   * @param at where it is in them
   */
  MarkSearch(byte[] bytes, int at) {
    mark = Arrays.copyOfRange(bytes, at, at + MarkHeader.MARK);
    Arrays.fill(steps, mark.length);
    for (int i = 0; i < mark.length - 1; i++) {
      steps[mark[i] & 0xff] = mark.length - 1 - i;
    }
  }

  /** Where the first whole mark begins, or -1. */
  int find(byte[] bytes, int from, int end) {
    int last = mark.length - 1;
    byte lastByte = mark[last];
    for (int at = from + last; at < end; at += steps[bytes[at] & 0xff]) {
      int begin = at - last;
      if (bytes[at] == lastByte
          && Arrays.equals(bytes, begin, begin + mark.length, mark, 0, mark.length)) {
        return begin;
      }
    }
    return -1;
  }

  /** How many bytes at the end are the beginning of a mark, as many as may be; not a whole one. */
  int beginning(byte[] bytes, int from, int end) {
    for (int count = Math.min(mark.length - 1, end - from); count > 0; count--) {
      if (bytes[end - count] == mark[0] && Arrays.equals(bytes, end - count, end, mark, 0, count)) {
        return count;
      }
    }
    return 0;
  }
}
