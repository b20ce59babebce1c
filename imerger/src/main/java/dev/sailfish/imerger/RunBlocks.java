package dev.sailfish.imerger;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.tail.ChunkTail;

/**
 * Which blocks of a run are read for a range, as the index tells: those that may hold keys of the
 * range; and the <em>inner</em> ones, which surely hold no others.
 *
 * <pre>
 *   first keys    b       e       h       k       n       q        range [f, o)
 *   blocks        |b...d..|e...g..|h...k..|k...m..|n...p..|q...
 *   read                  |-------------------------------|
 *   inner                         |---------------|
 * </pre>
 *
 * <p>Of a block only the first key is known, and that its last key is not above the first key of
 * the next block. With a grouping comparator a group may begin before the border that means it, so
 * entries are chosen by {@link GroupOrder#isBefore} too, and with a comparator only by that. Where
 * the index has cut a key, or has none, the comparator is not asked: the block may be on either
 * side, is read, and is not inner.
 *
 * @param first entry that is read
 * @param end of the entries that are read, exclusive
 * @param firstInner entry
 * @param endInner end of the inner entries, exclusive; may be before {@code firstInner}
 */
record RunBlocks(int first, int end, int firstInner, int endInner) {
  /**
   * The blocks of a run, of a tail with keys.
   *
   * @throws CorruptFormatException when keys that a comparator orders are in another order: what is
   *     by bytes was checked when the tail was read
   */
  static RunBlocks of(ChunkTail index, int run, KeyRange range, GroupOrder groups)
      throws CorruptFormatException {
    if (groups.keys().comparator() != null) {
      checkOrder(index, run, groups);
    }
    int start = index.runStart(run);
    int stop = index.runStart(run + 1);
    byte[] from = range.from();
    byte[] to = range.to();
    int first = from == null ? start : lastBefore(index, run, groups, from);
    int end = to == null ? stop : firstBehind(index, run, groups, to);
    return new RunBlocks(
        first,
        Math.max(first, end),
        from == null ? start : firstBehind(index, run, groups, from),
        to == null ? stop : lastBefore(index, run, groups, to));
  }

  private static void checkOrder(ChunkTail index, int run, GroupOrder groups)
      throws CorruptFormatException {
    byte[] last = null;
    for (int entry = index.runStart(run); entry < index.runStart(run + 1); entry++) {
      byte[] key = index.hasWholeKey(entry) ? index.entryKey(entry) : last;
      if (last != null && groups.compare(last, key) > 0) {
        throw new CorruptFormatException(
            "first keys of a run are not in the order of the job's comparator: run=%s entry=%s"
                .formatted(run, entry));
      }
      last = key;
    }
  }

  /** Whether a block surely holds keys of the range only. */
  boolean isInner(int entry) {
    return entry >= firstInner && entry < endInner;
  }

  /** The last entry that surely begins before the border; if there is none, that of the run. */
  private static int lastBefore(ChunkTail index, int run, GroupOrder groups, byte[] border) {
    return groups.isByBytes()
        ? index.firstEntry(run, border)
        : Math.max(index.runStart(run), behindLastBefore(index, run, groups, border) - 1);
  }

  /** The first entry that surely begins behind the border, or the end of the run. */
  private static int firstBehind(ChunkTail index, int run, GroupOrder groups, byte[] border) {
    int end = limit(index, run, groups, border);
    if (groups.isByBytes()) {
      return end;
    }
    int entry = behindLastBefore(index, run, groups, border);
    while (entry < end && !index.hasWholeKey(entry)) {
      entry++;
    }
    return entry;
  }

  /** The end of what may begin before the border: by bytes, if they tell anything of the order. */
  private static int limit(ChunkTail index, int run, GroupOrder groups, byte[] border) {
    return groups.keys().comparator() == null
        ? index.endEntry(run, border)
        : index.runStart(run + 1);
  }

  /** One more than the last entry with a whole key that is before the border. */
  private static int behindLastBefore(ChunkTail index, int run, GroupOrder groups, byte[] border) {
    int found = index.runStart(run);
    int low = found;
    int high = limit(index, run, groups, border);
    while (low < high) {
      int middle = (low + high) >>> 1;
      int whole = middle;
      while (whole >= low && !index.hasWholeKey(whole)) {
        whole--;
      }
      if (whole < low) {
        low = middle + 1;
      } else if (groups.isBefore(index.entryKey(whole), border)) {
        found = whole + 1;
        low = middle + 1;
      } else {
        high = whole;
      }
    }
    return found;
  }
}
