package dev.sailfish.chunksorter;

import java.nio.ByteBuffer;

/** Compares keys where they lie, eight bytes at a time. Buffers are big-endian. */
final class KeyBytes {
  private KeyBytes() {}

  /** How many of {@code length} bytes at the two absolute positions are the same from the start. */
  static int mismatch(ByteBuffer data, int leftOffset, int rightOffset, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      long difference = data.getLong(leftOffset + i) ^ data.getLong(rightOffset + i);
      if (difference != 0) {
        return i + (Long.numberOfLeadingZeros(difference) >>> 3);
      }
    }
    while (i < length && data.get(leftOffset + i) == data.get(rightOffset + i)) {
      i++;
    }
    return i;
  }

  /** Compares two keys of one buffer as unsigned bytes; a proper prefix is smaller. */
  static int compare(
      ByteBuffer data, int leftOffset, int leftLength, int rightOffset, int rightLength) {
    int common = Math.min(leftLength, rightLength);
    int same = mismatch(data, leftOffset, rightOffset, common);
    return same == common
        ? Integer.compare(leftLength, rightLength)
        : Byte.compareUnsigned(data.get(leftOffset + same), data.get(rightOffset + same));
  }
}
