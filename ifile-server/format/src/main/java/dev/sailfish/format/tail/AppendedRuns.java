package dev.sailfish.format.tail;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.Ordering;

/**
 * What the index of a chunk with {@link Ordering#COMPARATOR} promises: each run is an appended
 * block, that with the same ordinal in the source table, and has its records and bytes.
 */
final class AppendedRuns {
  private AppendedRuns() {}

  /**
   * Checks a tail whose tables are read.
   *
   * @throws CorruptFormatException when runs are not the appended blocks, with all that is in them
   */
  static void check(ChunkTail tail) throws CorruptFormatException {
    boolean complete = tail.runs() == tail.sources();
    for (int run = 0; complete && run < tail.runs(); run++) {
      complete = isSource(tail, run);
    }
    if (!complete) {
      throw new CorruptFormatException(
          "chunk of sorted blocks is out of bounds: runs=%s entries=%s sources=%s"
              .formatted(tail.runs(), tail.entries(), tail.sources()));
    }
  }

  private static boolean isSource(ChunkTail tail, int run) {
    long recordsLeft = tail.sourceRecords(run);
    long rawBytesLeft = tail.sourceRawLength(run);
    int end = tail.runStart(run + 1);
    for (int entry = tail.runStart(run); entry < end; entry++) {
      recordsLeft -= tail.entryRecords(entry);
      rawBytesLeft -= tail.entryRawLength(entry);
    }
    return recordsLeft == 0 && rawBytesLeft == 0 && tail.runStart(run) < end;
  }
}
