package dev.sailfish.ground.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Entries that were ready at once, as they stand in the log: one transaction of Raft.
 *
 * <pre>
 *    0         1             9
 *   +---------+-------------+------------+---------+------------+---------+--
 *   | version | time in ms  | length (4) | entry   | length (4) | entry   | …
 *   +---------+-------------+------------+---------+------------+---------+--
 * </pre>
 *
 * <p>Numbers are big endian. The version is none that an entry without a batch began with, as they
 * were before.
 *
 * @param timeMs the leader's clock when they were sealed
 * @param entries at least one
 */
record EntryBatch(long timeMs, List<byte[]> entries) {
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 1 + Long.BYTES;

  /** What an entry takes beside its own bytes. */
  static final int ENTRY_OVERHEAD = Integer.BYTES;

  /** The bytes of a batch. */
  byte[] encode() {
    int bytes = HEADER_BYTES;
    for (byte[] entry : entries) {
      bytes += ENTRY_OVERHEAD + entry.length;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).put(VERSION).putLong(timeMs);
    entries.forEach(entry -> out.putInt(entry.length).put(entry));
    return out.array();
  }

  /**
   * Reads a batch.
   *
   * @throws IllegalArgumentException when these are not the bytes of one
   */
  static EntryBatch decode(ByteBuffer in) {
    if (in.remaining() < HEADER_BYTES || in.get() != VERSION) {
      throw new IllegalArgumentException(
          "another release wrote this entry: understood=" + VERSION + "; start that release");
    }
    long timeMs = in.getLong();
    List<byte[]> entries = new ArrayList<>();
    while (in.hasRemaining()) {
      int length = in.remaining() < ENTRY_OVERHEAD ? -1 : in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException(
            "entry is damaged: length=" + length + " left=" + in.remaining());
      }
      byte[] entry = new byte[length];
      in.get(entry);
      entries.add(entry);
    }
    return new EntryBatch(timeMs, entries);
  }
}
