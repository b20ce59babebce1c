package dev.sailfish.cli.inspect;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.RecordCursor;
import java.util.Arrays;

/** Checks that the keys of a run ascend, and that equal keys come in the order of their sources. */
final class RunOrder {
  private byte[] lastKey = new byte[64];
  private int lastLength = -1;
  private int lastSource;
  private byte[] firstKey;

  /** The next record begins a run: nothing is before it. */
  void startRun() {
    lastLength = -1;
  }

  /**
   * Walks over the records of the run's next block.
   *
   * @param visitor called for each record
   */
  void check(RecordCursor records, BlockHeader header, RecordVisitor visitor)
      throws FormatException {
    int count = 0;
    firstKey = new byte[0];
    while (records.next()) {
      if (count == 0) {
        int cut = Math.min(records.keyLength(), ChunkTail.MAX_KEY_LENGTH);
        firstKey =
            Arrays.copyOfRange(records.buffer(), records.keyOffset(), records.keyOffset() + cut);
      }
      compareWithLast(records, count);
      remember(records);
      visitor.visit(records);
      count++;
    }
    BlockRecords.checkCount(header, count);
  }

  /** Takes the records of a block as they come. */
  interface RecordVisitor {
    /** Called with the cursor on a record, which it must not move. */
    void visit(RecordCursor record) throws FormatException;
  }

  /** The first key of the block that was checked last, cut as in an index. */
  byte[] firstKey() {
    return firstKey;
  }

  private void compareWithLast(RecordCursor records, int number) throws CorruptFormatException {
    if (lastLength < 0) {
      return;
    }
    int source = records.source();
    int start = records.keyOffset();
    int order =
        Arrays.compareUnsigned(
            lastKey, 0, lastLength, records.buffer(), start, start + records.keyLength());
    if (order > 0 || order == 0 && lastSource > source) {
      throw new CorruptFormatException(
          "record is out of order: record=%d %s: source=%d previous source=%d"
              .formatted(
                  number,
                  order > 0 ? "key is below the one before it" : "source is below that before it",
                  source,
                  lastSource));
    }
  }

  private void remember(RecordCursor records) {
    lastLength = records.keyLength();
    if (lastKey.length < lastLength) {
      lastKey = new byte[Math.max(lastLength, 2 * lastKey.length)];
    }
    System.arraycopy(records.buffer(), records.keyOffset(), lastKey, 0, lastLength);
    lastSource = records.source();
  }
}
