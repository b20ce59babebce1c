package dev.sailfish.imerger;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.Ordering;

/**
 * What a merge keeps of a chunk's tail: the source table, and for each block where it is and how
 * long. Without the keys, which a merge does not need and which may be many times as large; a scan
 * of an encrypted job needs them.
 */
final class ChunkIndex {
  private final Ordering ordering;
  private final int[] sourceMap;
  private final int[] sourceAttempt;
  private final int[] sourceSequence;
  private final int[] sourceRecords;
  private final int[] runStart;
  private final long[] offset;
  private final int[] length;
  private final int[] rawLength;
  private final int[] records;
  private final ChunkTail encrypted;

  /**
   * Copies what is needed out of a tail.
   *
   * @param keepsKeys whether the keys are needed, if they are encrypted; then the whole tail is
   *     kept
   */
  ChunkIndex(ChunkTail tail, boolean keepsKeys) throws CorruptFormatException {
    ordering = tail.ordering();
    encrypted = keepsKeys && tail.keysEncrypted() ? tail : null;
    int sources = tail.sources();
    sourceMap = new int[sources];
    sourceAttempt = new int[sources];
    sourceSequence = new int[sources];
    sourceRecords = new int[sources];
    for (int i = 0; i < sources; i++) {
      sourceMap[i] = tail.sourceMap(i);
      sourceAttempt[i] = tail.sourceAttempt(i);
      sourceSequence[i] = tail.sourceSequence(i);
      sourceRecords[i] = tail.sourceRecords(i);
    }
    int entries = tail.entries();
    runStart = new int[tail.runs() + 1];
    offset = new long[entries];
    length = new int[entries];
    rawLength = new int[entries];
    records = new int[entries];
    int run = -1;
    for (int i = 0; i < entries; i++) {
      if (tail.entryRun(i) < run || tail.entryRawLength(i) < 0) {
        throw new CorruptFormatException(
            "chunk index is out of order: entry="
                + i
                + " run="
                + tail.entryRun(i)
                + " run before="
                + run
                + " raw length="
                + tail.entryRawLength(i));
      }
      while (run < tail.entryRun(i)) {
        runStart[++run] = i;
      }
      offset[i] = tail.entryOffset(i);
      length[i] = tail.entryLength(i);
      rawLength[i] = tail.entryRawLength(i);
      records[i] = tail.entryRecords(i);
    }
    while (run < tail.runs()) {
      runStart[++run] = entries;
    }
    if (ordering == Ordering.COMPARATOR && (tail.runs() != sources || entries != sources)) {
      throw new CorruptFormatException(
          "chunk of sorted blocks is out of bounds: runs="
              + tail.runs()
              + " entries="
              + entries
              + " sources="
              + sources);
    }
  }

  /** The tail with its keys still encrypted, or null. */
  ChunkTail encryptedTail() {
    return encrypted;
  }

  Ordering ordering() {
    return ordering;
  }

  int runs() {
    return runStart.length - 1;
  }

  /** The first entry of a run; of run {@link #runs}, the number of entries. */
  int runStart(int run) {
    return runStart[run];
  }

  int sources() {
    return sourceMap.length;
  }

  int sourceMap(int source) {
    return sourceMap[source];
  }

  int sourceAttempt(int source) {
    return sourceAttempt[source];
  }

  int sourceSequence(int source) {
    return sourceSequence[source];
  }

  int sourceRecords(int source) {
    return sourceRecords[source];
  }

  long offset(int entry) {
    return offset[entry];
  }

  /** Length of a block with its header. */
  int length(int entry) {
    return length[entry];
  }

  int rawLength(int entry) {
    return rawLength[entry];
  }

  int records(int entry) {
    return records[entry];
  }

  /** Whether the block is stored longer or shorter than its records are, so surely compressed. */
  boolean compressed(int entry) {
    return length[entry] != BlockHeader.LENGTH + rawLength[entry];
  }

  /** Bytes of heap that this takes, about. */
  long heapBytes() {
    int keys = encrypted == null ? 0 : encrypted.encryptedKeys().length;
    return 20L * sourceMap.length + 20L * offset.length + 4L * runStart.length + keys;
  }
}
