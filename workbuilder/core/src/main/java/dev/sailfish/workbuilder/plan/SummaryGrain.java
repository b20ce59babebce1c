package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.RunDescriptor;
import java.util.Collection;

/** How finely indexes are to be summed up, so that no more is read than a plan makes use of. */
public final class SummaryGrain {
  /** How much of the target is in the entries in which a border lies, one of each run, at most. */
  private static final int PART_AT_BORDER = 16;

  /** Bytes of all summaries of a job, on the wire; chunks with few entries may bring them above. */
  private static final long SUMMARY_BYTES = 32L << 20;

  /** Bytes of one entry on the wire, at most. */
  private static final long ENTRY_BYTES = 22 + RunDescriptor.MAX_KEY_LENGTH;

  private SummaryGrain() {}

  /**
   * Whether the index of a partition is needed at all.
   *
   * @param rawBytes of the partition, before compression
   */
  public static boolean isNeeded(long rawBytes, WorkTarget target) {
    return rawBytes > target.bytes();
  }

  /**
   * How many bytes before compression an entry is to sum up. A border lies somewhere in an entry of
   * each run, so that all of these are on one side as far as the plan knows: together they are a
   * sixteenth of the target, or more when the summaries of the whole job would have over 32 MiB.
   * Each run of a chunk has an entry however large this is. With a comparator runs are blocks of
   * one map, which are short: then it is what the index has, unless that is too much.
   *
   * @param rawBytes of each partition, before compression
   * @param runs how many chunks one partition has, at most
   * @param shortRuns whether the job has a comparator
   */
  public static long bytesPerEntry(
      Collection<Long> rawBytes, WorkTarget target, int runs, boolean shortRuns) {
    long read = 0;
    for (long bytes : rawBytes) {
      read += isNeeded(bytes, target) ? bytes : 0;
    }
    long ofTarget = PieceCutter.ceilDiv(target.bytes(), (long) PART_AT_BORDER * Math.max(1, runs));
    return Math.max(
        shortRuns ? 1 : ofTarget, PieceCutter.ceilDiv(read, SUMMARY_BYTES / ENTRY_BYTES));
  }
}
