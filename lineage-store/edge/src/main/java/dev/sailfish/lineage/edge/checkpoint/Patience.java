package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy.UNKNOWN_NS;

import dev.sailfish.lineage.edge.checkpoint.DependencyTable.Row;
import java.util.OptionalLong;

/**
 * Whether it is better to wait for the next file of a chain than to write what is there. While a
 * leaf is written that is old, its chain goes on; a checkpoint of the file that comes next would
 * have saved that, too.
 *
 * <pre>
 *   recorded          now              expected               given up
 *      |----- age -----|----- rest -----|                        |
 *      |------------- mean -------------|---------- mean --------|
 * </pre>
 *
 * <p><b>A leaf waits</b> when n times the rest is less than the age. Of n chains that one writer
 * writes in turn, a wait makes the time between two checkpoints of each of them longer, so that a
 * failure loses up to n times as much more; what it loses less is the age.
 *
 * <p><b>The rest waits</b>, when there is no leaf, if a write of it would last until after the next
 * file is expected of the chain that was written last.
 *
 * <p><b>How long.</b> At most until the job has run for twice the mean. What runs in a chain
 * between two of its checkpoints is the age of the first file when its write began, writes, and
 * waits. A leaf waits only until the longest such age of the edge before, and all waits since its
 * first write began, those of the rest too, are together as long as the longest job so far. So at
 * worst no more is between two checkpoints than without waits. After a leaf has waited in vain the
 * next one does not wait.
 *
 * <p><b>The mean</b> is that of the job that made the inputs, of several the one that was done
 * last, blended with the job's own time. What was recorded before the policy was made has none.
 */
final class Patience {
  /** The part of a mean that the last job is. */
  private static final double LAST = 0.25;

  /** The write after a wait in vain, and the next one. */
  private static final int WRITES_WITHOUT_WAIT = 2;

  private long longestNs;
  private long writeNs; // the mean of writes; 0: not known
  private Row begun; // made the file of which writing began last; null: none did

  private Row awaited; // by a leaf; null: none waits
  private long untilNs = UNKNOWN_NS;
  private long sinceNs = UNKNOWN_NS; // of a wait, until a write begins
  private int barred;

  private long edge;
  private boolean isEdgeBegun;
  private long oldestNs; // age when a write of the edge began
  private long waitedNs; // in the edge
  private long waitedLaterNs; // of this, since its first write began
  private long spentBeforeNs; // by the edge before, of what it and this one may wait

  /**
   * A dependency was recorded.
   *
   * @param maker of its inputs that was done last
   */
  void recorded(Row row, Row maker) {
    row.meanNs = maker.meanNs;
  }

  /** All files of a dependency are there. */
  void done(Row row, long nowNs) {
    long tookNs = row.sinceNs == UNKNOWN_NS || nowNs == UNKNOWN_NS ? 0 : nowNs - row.sinceNs;
    row.sinceNs = nowNs;
    if (tookNs > 0) {
      longestNs = Math.max(longestNs, tookNs);
      row.meanNs = blended(row.meanNs, tookNs);
    }
  }

  private static long blended(long meanNs, long lastNs) {
    return meanNs == 0 ? lastNs : meanNs + Math.round(LAST * (lastNs - meanNs));
  }

  /** The edge of this number is written now. */
  void edge(long number) {
    if (number != edge) {
      edge = number;
      isEdgeBegun = false;
      spentBeforeNs = oldestNs + waitedLaterNs;
      oldestNs = 0;
      waitedNs = 0;
      waitedLaterNs = 0;
    }
  }

  /**
   * Whether a leaf waits.
   *
   * @param next the job that reads it, and runs
   * @param chains of which leaves could be written, with this one
   */
  boolean leafWaits(Row next, int chains, long nowNs) {
    if (awaited != next) {
      stop();
      begin(next, chains, nowNs);
    } else if (nowNs - untilNs >= 0) {
      barred = WRITES_WITHOUT_WAIT;
      stop();
    }
    return awaited != null;
  }

  private void begin(Row next, int chains, long nowNs) {
    if (barred > 0 || next.meanNs == 0 || next.sinceNs == UNKNOWN_NS) {
      return;
    }
    long ageNs = nowNs - next.sinceNs;
    long restNs = Math.max(0, next.meanNs - ageNs);
    long waitingNs = sinceNs == UNKNOWN_NS ? 0 : nowNs - sinceNs;
    long leftNs = longestNs - spentBeforeNs - waitedNs - waitingNs;
    long mostNs = Math.min(2 * next.meanNs - ageNs, leftNs);
    if ((double) chains * restNs < ageNs && mostNs > 0) {
      awaited = next;
      untilNs = nowNs + mostNs;
      sinceNs = sinceNs == UNKNOWN_NS ? nowNs : sinceNs;
    }
  }

  /** Whether the rest waits for a leaf, as there is none. */
  boolean restWaits(long nowNs) {
    stop();
    Row next = begun == null ? null : begun.reader;
    if (next == null || !next.isRunning() || next.meanNs == 0 || next.sinceNs == UNKNOWN_NS) {
      return false;
    }
    long ageNs = nowNs - next.sinceNs;
    if (next.meanNs - ageNs < writeNs && ageNs < 2 * next.meanNs) {
      untilNs = next.sinceNs + 2 * next.meanNs;
      sinceNs = sinceNs == UNKNOWN_NS ? nowNs : sinceNs;
    }
    return untilNs != UNKNOWN_NS;
  }

  /** Until when anything waits. */
  OptionalLong untilNs() {
    return untilNs == UNKNOWN_NS ? OptionalLong.empty() : OptionalLong.of(untilNs);
  }

  /** Nothing waits. */
  void stop() {
    awaited = null;
    untilNs = UNKNOWN_NS;
  }

  /**
   * A write begins.
   *
   * @param maker of the file, or null
   * @param next the job that reads the file and runs, or null
   */
  void started(Row maker, Row next, long nowNs) {
    stop();
    if (sinceNs != UNKNOWN_NS) {
      waitedNs += nowNs - sinceNs;
      waitedLaterNs += isEdgeBegun ? nowNs - sinceNs : 0;
      sinceNs = UNKNOWN_NS;
    }
    begun = maker;
    isEdgeBegun = true;
    barred = Math.max(0, barred - 1);
    if (next != null && next.sinceNs != UNKNOWN_NS) {
      oldestNs = Math.max(oldestNs, nowNs - next.sinceNs);
    }
  }

  /** A write has ended well. */
  void written(long tookNs) {
    if (tookNs > 0) {
      writeNs = blended(writeNs, tookNs);
    }
  }
}
