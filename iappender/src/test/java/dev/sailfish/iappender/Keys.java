package dev.sailfish.iappender;

import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.testkit.TestBytes;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Serialized keys of all encodings. */
final class Keys {
  /** An order that no byte order gives: by the last byte, descending. */
  static final KeyComparator BY_LAST_BYTE =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          last(right, rightOffset, rightLength) - last(left, leftOffset, leftLength);

  private Keys() {}

  private static int last(byte[] bytes, int offset, int length) {
    return length == 0 ? -1 : bytes[offset + length - 1] & 0xff;
  }

  /** A random serialized key. */
  static byte[] random(SplittableRandom random, KeyEncoding encoding, int maxLength) {
    byte[] normalized =
        switch (encoding) {
          case RAW, TEXT, BYTES -> TestBytes.random(random, random.nextInt(maxLength + 1));
          case SIGNED, SIGNED_DESCENDING -> TestBytes.random(random, 1 << random.nextInt(4));
          case FLOATING -> TestBytes.random(random, random.nextBoolean() ? 4 : 8);
          case VARIABLE_INTEGER -> variable(random);
        };
    return serialized(encoding, normalized);
  }

  private static byte[] variable(SplittableRandom random) {
    int ordered = random.nextInt(256);
    int magnitude = ordered < 8 ? 8 - ordered : Math.max(0, ordered - 247);
    byte[] bytes = TestBytes.random(random, 1 + magnitude);
    bytes[0] = (byte) ordered;
    return bytes;
  }

  /** The serialized form of a normalized key. */
  static byte[] serialized(KeyEncoding encoding, byte[] normalized) {
    byte[] bytes = new byte[KeyEncoding.MAX_PREFIX + normalized.length];
    System.arraycopy(normalized, 0, bytes, KeyEncoding.MAX_PREFIX, normalized.length);
    int prefix = encoding.denormalize(bytes, KeyEncoding.MAX_PREFIX, normalized.length);
    return Arrays.copyOfRange(bytes, KeyEncoding.MAX_PREFIX - prefix, bytes.length);
  }
}
