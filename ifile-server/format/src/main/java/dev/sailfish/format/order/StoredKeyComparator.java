package dev.sailfish.format.order;

import java.util.Objects;

/**
 * A job's comparator, which takes serialized keys, as a comparator of keys as they are stored:
 * turns both keys back and hands them on. The keys it is given stay as they are.
 *
 * <p>Makes no object per comparison: keys are turned back in two arrays that grow to the longest
 * key. Not thread-safe, since these are shared between calls.
 */
public final class StoredKeyComparator implements KeyComparator {
  private final KeyEncoding encoding;
  private final KeyComparator serialized;
  private byte[] leftKey = new byte[64];
  private byte[] rightKey = new byte[64];

  private StoredKeyComparator(KeyEncoding encoding, KeyComparator serialized) {
    this.encoding = encoding;
    this.serialized = serialized;
  }

  /**
   * A comparator of keys as they are stored with this encoding.
   *
   * @param serialized compares serialized keys; must not keep the arrays it is given, nor change
   *     them. What it throws is passed on
   * @return {@code serialized} itself when keys are stored as they are serialized
   */
  public static KeyComparator of(KeyEncoding encoding, KeyComparator serialized) {
    Objects.requireNonNull(serialized, "serialized");
    return encoding == KeyEncoding.RAW ? serialized : new StoredKeyComparator(encoding, serialized);
  }

  @Override
  public int compare(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    leftKey = copied(left, leftOffset, leftLength, leftKey);
    rightKey = copied(right, rightOffset, rightLength, rightKey);
    int start = KeyEncoding.MAX_PREFIX;
    int leftPrefix = encoding.denormalize(leftKey, start, leftLength);
    int rightPrefix = encoding.denormalize(rightKey, start, rightLength);
    return serialized.compare(
        leftKey,
        start - leftPrefix,
        leftLength + leftPrefix,
        rightKey,
        start - rightPrefix,
        rightLength + rightPrefix);
  }

  /** Copies a key behind the room for its prefix; returns the array, or a longer one. */
  private static byte[] copied(byte[] key, int offset, int length, byte[] to) {
    int needed = KeyEncoding.MAX_PREFIX + length;
    byte[] copy = needed <= to.length ? to : new byte[Math.max(needed, 2 * to.length)];
    System.arraycopy(key, offset, copy, KeyEncoding.MAX_PREFIX, length);
    return copy;
  }
}
