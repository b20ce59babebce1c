package dev.sailfish.imerger.merge;

import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.KeyOrder;
import java.io.IOException;

/**
 * Merges sorted runs with a tree of losers: an inner node holds the run that lost there, so that
 * only the path from one leaf to the root is compared again for each record.
 *
 * <p>Order: key, then rank. Normalized keys are compared by their first eight bytes as one number,
 * which nearly always decides, then byte by byte; other keys by the job's comparator. A single run
 * is passed on without comparing anything.
 */
public final class RunMerge {
  private static final long LAST = Long.MAX_VALUE;

  private final RunCursor[] runs;
  private final KeyOrder order;
  private final boolean prefixed;
  private final long[] prefixes;
  private final int[] losers;
  private int winner = -1;

  /**
   * Reads the first record of every run.
   *
   * @param runs open runs ({@link RunCursor#open})
   */
  RunMerge(RunCursor[] runs, KeyOrder order) throws IOException {
    this.runs = runs;
    this.order = order;
    this.prefixed = order.ordering() == Ordering.NORMALIZED && runs.length > 1;
    this.prefixes = new long[runs.length];
    this.losers = new int[Math.max(1, runs.length)];
    for (RunCursor run : runs) {
      if (prefixed) {
        run.usePrefix();
      }
      run.advance();
    }
    for (int i = 0; i < runs.length; i++) {
      prefixes[i] = prefixOf(i);
    }
    int size = runs.length;
    int[] winners = new int[2 * size];
    for (int i = 0; i < size; i++) {
      winners[size + i] = i;
    }
    for (int node = size - 1; node > 0; node--) {
      int left = winners[2 * node];
      int right = winners[2 * node + 1];
      boolean rightFirst = before(right, left);
      winners[node] = rightFirst ? right : left;
      losers[node] = rightFirst ? left : right;
    }
    losers[0] = size > 1 ? winners[1] : 0;
  }

  /** The run whose current record {@link #next} gives first, before it was called; null: none. */
  public RunCursor first() {
    return runs.length == 0 || runs[losers[0]].ended() ? null : runs[losers[0]];
  }

  /**
   * Moves to the next record.
   *
   * @return the run whose current record it is, or null at the end; its record is valid until the
   *     next call
   */
  public RunCursor next() throws IOException {
    if (winner >= 0) {
      runs[winner].advance();
      if (runs.length > 1) {
        replay(winner);
      }
    }
    if (runs.length == 0) {
      return null;
    }
    winner = losers[0];
    RunCursor first = runs[winner];
    return first.ended() ? null : first;
  }

  private void replay(int changed) {
    prefixes[changed] = prefixOf(changed);
    int best = changed;
    for (int node = (changed + runs.length) >>> 1; node > 0; node >>>= 1) {
      int loser = losers[node];
      if (before(loser, best)) {
        losers[node] = best;
        best = loser;
      }
    }
    losers[0] = best;
  }

  private long prefixOf(int run) {
    RunCursor cursor = runs[run];
    if (cursor.ended()) {
      return LAST;
    }
    return prefixed ? cursor.prefix() : 0;
  }

  private boolean before(int left, int right) {
    long leftPrefix = prefixes[left];
    long rightPrefix = prefixes[right];
    return leftPrefix != rightPrefix ? leftPrefix < rightPrefix : tieBefore(left, right);
  }

  private boolean tieBefore(int left, int right) {
    RunCursor a = runs[left];
    RunCursor b = runs[right];
    if (a.ended() || b.ended()) {
      return !a.ended();
    }
    int compared =
        order.compare(
            a.buffer(), a.keyOffset(), a.keyLength(), b.buffer(), b.keyOffset(), b.keyLength());
    return compared != 0 ? compared < 0 : a.rank() < b.rank();
  }

  /** Gives the buffers of all runs back. */
  public void release() {
    for (RunCursor run : runs) {
      run.release();
    }
  }
}
