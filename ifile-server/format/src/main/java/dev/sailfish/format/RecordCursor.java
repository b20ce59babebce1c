package dev.sailfish.format;

/**
 * Walks over the records of one uncompressed block in a byte array, without making an object per
 * record; at first there are none. The array stays the caller's. Not thread-safe.
 *
 * <p>Every length is checked against the end of the block before it is used; a block whose bytes do
 * not come out exactly is reported as corrupt by {@link #next()}.
 */
public final class RecordCursor {
  private byte[] buffer = new byte[0];
  private int next;
  private int limit;
  private boolean tagged;
  private int source;
  private int keyOffset;
  private int keyLength;
  private int valueLength;

  /**
   * Puts the cursor before the first record of {@code length} bytes at {@code offset}.
   *
   * @param tagged whether the records have source ordinals ({@link BlockHeader#tagged()})
   */
  public void reset(byte[] buffer, int offset, int length, boolean tagged) {
    this.buffer = buffer;
    this.next = offset;
    this.limit = offset + length;
    this.tagged = tagged;
    this.source = 0;
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
    int position = next;
    if (tagged) {
      source = Varint.get(buffer, position, limit);
      position += Varint.length(source);
    }
    valueLength = Varint.get(buffer, position, limit);
    position += Varint.length(valueLength);
    keyLength = Varint.get(buffer, position, limit);
    keyOffset = position + Varint.length(keyLength);
    long end = (long) keyOffset + keyLength + valueLength;
    if ((source | valueLength | keyLength) < 0 || end > limit) {
      throw new CorruptFormatException(
          "record is malformed: source=%s value length=%s key length=%s at offset=%s block end=%s"
              .formatted(source, valueLength, keyLength, next, limit));
    }
    next = (int) end;
    return true;
  }

  /** The array that the offsets are in. */
  public byte[] buffer() {
    return buffer;
  }

  /** The source ordinal of the current record; 0 when the block is not tagged. */
  public int source() {
    return source;
  }

  /** Where the current key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Length of the current key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** Where the current value begins. */
  public int valueOffset() {
    return keyOffset + keyLength;
  }

  /** Length of the current value in bytes. */
  public int valueLength() {
    return valueLength;
  }
}
