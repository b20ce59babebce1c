package dev.sailfish.cli.inspect;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.RecordCursor;
import java.util.Arrays;

/** Checks that the keys of a run ascend, and that equal keys come in the order of their sources. */
final class RunOrder {
  private byte[] lastKey = new byte[64];
  private int lastLength = -1;
  private int lastSource;

  /** The next record begins a run: nothing is before it. */
  void startRun() {
    lastLength = -1;
  }

  /**
   * The next record of the run.
   *
   * @param number of the record in its block
   */
  void check(RecordCursor record, int number) throws CorruptFormatException {
    int source = record.source();
    int start = record.keyOffset();
    int order =
        lastLength < 0
            ? -1
            : Arrays.compareUnsigned(
                lastKey, 0, lastLength, record.buffer(), start, start + record.keyLength());
    if (order > 0 || order == 0 && lastSource > source) {
      throw new CorruptFormatException(
          "record is out of order: record=%d %s: source=%d previous source=%d"
              .formatted(
                  number,
                  order > 0 ? "key is below the one before it" : "source is below that before it",
                  source,
                  lastSource));
    }
    remember(record);
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
