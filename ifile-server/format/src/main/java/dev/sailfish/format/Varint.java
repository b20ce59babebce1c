package dev.sailfish.format;

import java.nio.ByteBuffer;

/**
 * Unsigned little-endian base-128 integers, as in Protocol Buffers: seven bits a byte, least
 * significant first, the top bit says that more follow. At most {@link #MAX_LENGTH} bytes; only
 * values from 0 to {@link Integer#MAX_VALUE} are written and accepted.
 *
 * <p>Readers return the value; the caller advances by {@link #length(int)} of it. A value that was
 * padded with needless continuation bytes is refused, so that this advance is always right.
 */
public final class Varint {
  /** The longest encoding, in bytes. */
  public static final int MAX_LENGTH = 5;

  /** What {@link #get} returns when the bytes at the position are no varint. */
  public static final int MALFORMED = -1;

  private Varint() {}

  /** How many bytes {@code value} takes. */
  public static int length(int value) {
    if (value < 1 << 7) {
      return 1;
    }
    if (value < 1 << 14) {
      return 2;
    }
    if (value < 1 << 21) {
      return 3;
    }
    return value < 1 << 28 ? 4 : 5;
  }

  /**
   * Writes {@code value} at {@code offset}.
   *
   * @return the offset behind it
   */
  public static int put(byte[] buffer, int offset, int value) {
    int position = offset;
    int rest = value;
    while (rest >= 0x80) {
      buffer[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[position++] = (byte) rest;
    return position;
  }

  /**
   * Writes {@code value} at the absolute position {@code offset}.
   *
   * @return the offset behind it
   */
  public static int put(ByteBuffer buffer, int offset, int value) {
    int position = offset;
    int rest = value;
    while (rest >= 0x80) {
      buffer.put(position++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(position++, (byte) rest);
    return position;
  }

  /** The value at {@code offset}, or {@link #MALFORMED} when there is none before {@code limit}. */
  public static int get(byte[] buffer, int offset, int limit) {
    if (offset >= limit) {
      return MALFORMED;
    }
    int first = buffer[offset];
    if (first >= 0) {
      return first;
    }
    int value = first & 0x7f;
    for (int i = 1; i < MAX_LENGTH && offset + i < limit; i++) {
      int next = buffer[offset + i];
      value |= (next & 0x7f) << (7 * i);
      if (next >= 0) {
        return next == 0 || value < 0 || (i == 4 && next > 7) ? MALFORMED : value;
      }
    }
    return MALFORMED;
  }

  /**
   * The value at the absolute position {@code offset}, or {@link #MALFORMED} when there is none
   * before {@code limit}.
   */
  public static int get(ByteBuffer buffer, int offset, int limit) {
    if (offset >= limit) {
      return MALFORMED;
    }
    int first = buffer.get(offset);
    if (first >= 0) {
      return first;
    }
    int value = first & 0x7f;
    for (int i = 1; i < MAX_LENGTH && offset + i < limit; i++) {
      int next = buffer.get(offset + i);
      value |= (next & 0x7f) << (7 * i);
      if (next >= 0) {
        return next == 0 || value < 0 || (i == 4 && next > 7) ? MALFORMED : value;
      }
    }
    return MALFORMED;
  }
}
