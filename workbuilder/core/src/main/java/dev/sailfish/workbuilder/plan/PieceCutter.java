package dev.sailfish.workbuilder.plan;

import java.util.Arrays;

/**
 * Cuts the ranks of one partition into pieces of nearly equal size. A rank with more bytes of its
 * own than the target is a piece; what lies between two such is cut into as few pieces as the
 * borders allow, and so that the largest is as small as can be. A piece has more than the target
 * only if there is no border inside it.
 */
final class PieceCutter {
  private static final int PRECISION = 256;

  private final KeyRanks ranks;
  private final long target;
  private int[] starts = new int[8];
  private int count;

  private PieceCutter(KeyRanks ranks, long target) {
    this.ranks = ranks;
    this.target = target;
  }

  /** Ranks that pieces start at, ascending, from 0; behind them the end. */
  static int[] cut(KeyRanks ranks, long target) {
    PieceCutter cutter = new PieceCutter(ranks, target);
    int from = 0;
    for (int rank = 0; rank < ranks.count(); rank++) {
      if (ranks.ownBytes(rank) > target) {
        cutter.cut(from, rank);
        cutter.add(rank);
        from = rank + 1;
      }
    }
    cutter.cut(from, ranks.count());
    cutter.add(ranks.count());
    return Arrays.copyOf(cutter.starts, cutter.count);
  }

  private void cut(int from, int to) {
    int pieces = fill(from, to, target);
    long most = target;
    long least = pieces == 0 ? most : ranks.bytes(from, to) / pieces;
    while (least + target / PRECISION < most) {
      long middle = least + (most - least) / 2;
      if (fill(from, to, middle) <= pieces) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    for (int at = from; at < to; at = ranks.end(at, to, most)) {
      add(at);
    }
  }

  /** How many pieces of so many bytes at most there are. */
  private int fill(int from, int to, long mostBytes) {
    int pieces = 0;
    for (int at = from; at < to; at = ranks.end(at, to, mostBytes)) {
      pieces++;
    }
    return pieces;
  }

  private void add(int start) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
    }
    starts[count++] = start;
  }

  /** A quotient, rounded up; neither is negative. */
  static long ceilDiv(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }
}
