package dev.sailfish.lineage.master.checkpoint;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Since when files wait under this leader, in the order in which they came: 16 bytes for each.
 * Those that wait no more are taken out when they are the oldest, or when they are more than the
 * others.
 */
final class WaitingAges {
  private static final int FIRST = 64;

  private long[] fids = new long[FIRST];
  private long[] times = new long[FIRST];
  private int from;
  private int to;

  void clear() {
    from = 0;
    to = 0;
  }

  /**
   * A file waits from now on.
   *
   * @param waits which files wait
   * @param waiting how many do
   */
  void add(long fid, long nowNs, LongPredicate waits, long waiting) {
    if (to == fids.length) {
      compact(waits, to - from > 2 * waiting + FIRST);
    }
    fids[to] = fid;
    times[to] = nowNs;
    to++;
  }

  private void compact(LongPredicate waits, boolean drops) {
    int kept = 0;
    for (int i = from; i < to; i++) {
      if (!drops || waits.test(fids[i])) {
        fids[kept] = fids[i];
        times[kept] = times[i];
        kept++;
      }
    }
    from = 0;
    to = kept;
    if (2 * kept > fids.length) {
      fids = Arrays.copyOf(fids, 2 * fids.length);
      times = Arrays.copyOf(times, 2 * times.length);
    }
  }

  /** How long the oldest file waits, in ns; 0 if none does. */
  long oldestNs(LongPredicate waits, long nowNs) {
    while (from < to && !waits.test(fids[from])) {
      from++;
    }
    return from < to ? nowNs - times[from] : 0;
  }
}
