package dev.sailfish.lineage.master.checkpoint;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/** Files that are tried again later, because they or their mounts have failed. */
final class HeldFiles {
  private final Queue<Held> byTime =
      new PriorityQueue<>(
          Comparator.comparing(Held::untilNs, (one, other) -> sign(one - other))
              .thenComparingLong(Held::number));
  private final Set<Long> fids = new HashSet<>();
  private long last;

  /**
   * One of them.
   *
   * @param spentNs how long its last attempt took, in ns
   * @param number in the order in which they came
   */
  record Held(long fid, Turn.Source source, long untilNs, long spentNs, long number) {}

  /** Of a difference: times in ns may be negative, and only differences mean anything. */
  private static int sign(long difference) {
    return Long.signum(difference);
  }

  void clear() {
    byTime.clear();
    fids.clear();
  }

  /**
   * Adds a file, unless it is held already.
   *
   * @param spentNs how long its last attempt took, in ns
   */
  void add(long fid, Turn.Source source, long untilNs, long spentNs) {
    if (fids.add(fid)) {
      last++;
      byTime.add(new Held(fid, source, untilNs, spentNs, last));
    }
  }

  /** Gives those whose time has come, and holds them no more. */
  void release(long nowNs, Consumer<Held> released) {
    while (!byTime.isEmpty() && nowNs - byTime.peek().untilNs >= 0) {
      Held held = byTime.poll();
      fids.remove(held.fid);
      released.accept(held);
    }
  }

  /** Whether a file is held. */
  boolean has(long fid) {
    return fids.contains(fid);
  }

  /** In any order; not to be changed. */
  Iterable<Long> fids() {
    return fids;
  }
}
