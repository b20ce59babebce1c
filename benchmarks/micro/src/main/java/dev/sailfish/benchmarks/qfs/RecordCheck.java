package dev.sailfish.benchmarks.qfs;

import dev.sailfish.format.RecordChecksum;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts records, sums them up in a way that does not depend on their order, and fails when the
 * keys of a run do not ascend. For one thread.
 */
final class RecordCheck {
  private final RecordChecksum checksums = new RecordChecksum();
  private byte[] lastKey = new byte[0];
  private int lastLength;
  private long records;
  private long checksum;

  /** What was found; the same of two sets of records only if they are the same records. */
  record Found(long records, long checksum) {}

  /** Another run begins, with any key. */
  void beginRun() {
    lastLength = 0;
  }

  /**
   * The next record of the run.
   *
   * @param bytes holds the key at {@code keyOffset} and the value right behind it
   * @throws IOException when its key is before the last one
   */
  void add(byte[] bytes, int keyOffset, int keyLength, int valueLength) throws IOException {
    int keyEnd = keyOffset + keyLength;
    if (Arrays.compareUnsigned(lastKey, 0, lastLength, bytes, keyOffset, keyEnd) > 0) {
      throw new IOException("record %d is not in the order of keys".formatted(records));
    }
    count(bytes, keyOffset, keyLength, valueLength);
    if (lastKey.length < keyLength) {
      lastKey = new byte[keyLength];
    }
    System.arraycopy(bytes, keyOffset, lastKey, 0, keyLength);
    lastLength = keyLength;
  }

  /** A record that is in no order. */
  void count(byte[] bytes, int keyOffset, int keyLength, int valueLength) {
    records++;
    checksum += checksums.of(bytes, keyOffset, keyLength, valueLength);
  }

  Found found() {
    return new Found(records, checksum);
  }
}
