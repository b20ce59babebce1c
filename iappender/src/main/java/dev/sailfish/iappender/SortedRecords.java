package dev.sailfish.iappender;

import dev.sailfish.format.Varint;
import dev.sailfish.format.order.KeyEncoding;

/**
 * Walks over the records of one partition's buffer in key order and gives key and value as they
 * were serialized, without an object per record. The arrays stay the iappender's; what is in them
 * is valid until the next call of {@link #next()}. Not thread-safe.
 */
public final class SortedRecords {
  private final KeyEncoding encoding;
  private byte[] records;
  private int[] order;
  private int count;
  private int index;
  private byte[] scratch = new byte[64];
  private byte[] keyBuffer;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;

  SortedRecords(KeyEncoding encoding) {
    this.encoding = encoding;
  }

  /** Puts the cursor before the first of {@code count} records, which begin at {@code order}. */
  void reset(byte[] records, int[] order, int count) {
    this.records = records;
    this.order = order;
    this.count = count;
    this.index = 0;
  }

  /** Moves to the next record; false when there is none. */
  public boolean next() {
    if (index == count) {
      return false;
    }
    int position = order[index++];
    valueLength = Varint.get(records, position, records.length);
    position += Varint.length(valueLength);
    int length = Varint.get(records, position, records.length);
    position += Varint.length(length);
    valueOffset = position + length;
    if (encoding == KeyEncoding.RAW) {
      keyBuffer = records;
      keyOffset = position;
      keyLength = length;
    } else {
      denormalize(position, length);
    }
    return true;
  }

  private void denormalize(int position, int length) {
    if (scratch.length - KeyEncoding.MAX_PREFIX < length) {
      scratch = new byte[KeyEncoding.MAX_PREFIX + length + length / 2];
    }
    System.arraycopy(records, position, scratch, KeyEncoding.MAX_PREFIX, length);
    int prefix = encoding.denormalize(scratch, KeyEncoding.MAX_PREFIX, length);
    keyBuffer = scratch;
    keyOffset = KeyEncoding.MAX_PREFIX - prefix;
    keyLength = length + prefix;
  }

  /** How many records there are in all, read or not. */
  public int count() {
    return count;
  }

  /** The array that the current key is in. */
  public byte[] keyBuffer() {
    return keyBuffer;
  }

  /** Where the current serialized key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Length of the current serialized key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** The array that the current value is in. */
  public byte[] valueBuffer() {
    return records;
  }

  /** Where the current value begins. */
  public int valueOffset() {
    return valueOffset;
  }

  /** Length of the current value in bytes. */
  public int valueLength() {
    return valueLength;
  }
}
