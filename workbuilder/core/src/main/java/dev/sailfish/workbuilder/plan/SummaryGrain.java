package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.RunDescriptor;
import java.util.Collection;

/** How finely indexes are to be summed up, so that no more is read than a plan makes use of. */
public final class SummaryGrain {
  /** Entries that a piece of the target's size is put together of, at least. */
  private static final int ENTRIES_PER_WORK = 16;

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
   * How many bytes before compression an entry is to sum up: a sixteenth of the target, or more
   * when the summaries of the whole job would have over 32 MiB. Each run of a chunk has an entry
   * however large this is. With a comparator runs are blocks of one map, which are short: then it
   * is what the index has, unless that is too much.
   *
   * @param rawBytes of each partition, before compression
   * @param shortRuns whether the job has a comparator
   */
  public static long bytesPerEntry(
      Collection<Long> rawBytes, WorkTarget target, boolean shortRuns) {
    long read = 0;
    for (long bytes : rawBytes) {
      read += isNeeded(bytes, target) ? bytes : 0;
    }
    long ofTarget = PieceCutter.ceilDiv(target.bytes(), ENTRIES_PER_WORK);
    return Math.max(
        shortRuns ? 1 : ofTarget, PieceCutter.ceilDiv(read, SUMMARY_BYTES / ENTRY_BYTES));
  }
}
