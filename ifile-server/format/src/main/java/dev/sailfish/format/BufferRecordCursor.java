package dev.sailfish.format;

import java.nio.ByteBuffer;

/**
 * {@link RecordCursor} over a byte buffer, for servers, whose chunks are mapped memory. Only
 * absolute reads: the buffer's position and limit are neither used nor changed. Not thread-safe.
 */
public final class BufferRecordCursor {
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int next;
  private int limit;
  private int start;
  private int keyOffset;
  private int keyLength;
  private int valueLength;

  /** Puts the cursor before the first untagged record of {@code length} bytes at {@code offset}. */
  public void reset(ByteBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    this.next = offset;
    this.limit = offset + length;
  }

  /**
   * Moves to the next record.
   *
   * @return false at the end of the block
   * @throws CorruptFormatException when the bytes are no record
   */
  public boolean next() throws CorruptFormatException {
    if (next == limit) {
      return false;
    }
    start = next;
    valueLength = Varint.get(buffer, start, limit);
    int position = start + Varint.length(valueLength);
    keyLength = Varint.get(buffer, position, limit);
    keyOffset = position + Varint.length(keyLength);
    long end = (long) keyOffset + keyLength + valueLength;
    if ((valueLength | keyLength) < 0 || end > limit) {
      throw new CorruptFormatException(
          "record is malformed: value length=%s key length=%s at offset=%s block end=%s"
              .formatted(valueLength, keyLength, start, limit));
    }
    next = (int) end;
    return true;
  }

  /** Where the current record begins, with its header. */
  public int start() {
    return start;
  }

  /** Length of the current record with its header, in bytes. */
  public int length() {
    return next - start;
  }

  /** Where the current key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Length of the current key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** Length of the current value in bytes. */
  public int valueLength() {
    return valueLength;
  }
}
