package dev.sailfish.imerger;

import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Serialized keys of every encoding, as Hadoop's Writables would write them. */
final class Keys {
  private Keys() {}

  /** A random key; few different ones when {@code distinct} is small. */
  static byte[] random(KeyEncoding encoding, SplittableRandom random, int distinct) {
    SplittableRandom key = new SplittableRandom(random.nextInt(distinct) * 0x9E3779B97F4A7C15L);
    switch (encoding) {
      case TEXT:
        byte[] text = bytes(key);
        return concat(variable(text.length), text);
      case BYTES:
        byte[] plain = bytes(key);
        return concat(ByteBuffer.allocate(4).putInt(plain.length).array(), plain);
      case SIGNED:
      case SIGNED_DESCENDING:
        return ByteBuffer.allocate(4).putInt(key.nextInt() >> key.nextInt(32)).array();
      case FLOATING:
        double number = key.nextInt(10) == 0 ? Double.NaN : key.nextDouble() * 1000 - 500;
        return ByteBuffer.allocate(8).putDouble(number).array();
      case VARIABLE_INTEGER:
        return variable(key.nextLong() >> key.nextInt(64));
      default:
        return bytes(key);
    }
  }

  /** A job's coarse grouping of serialized keys: by the first two bytes of the normalized ones. */
  static KeyComparator grouping(KeyEncoding encoding) {
    return (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
        Arrays.compareUnsigned(
            front(encoding, Arrays.copyOfRange(left, leftOffset, leftOffset + leftLength)),
            front(encoding, Arrays.copyOfRange(right, rightOffset, rightOffset + rightLength)));
  }

  private static byte[] front(KeyEncoding encoding, byte[] key) {
    int stripped = encoding.normalize(key, 0, key.length);
    return Arrays.copyOfRange(key, stripped, Math.min(key.length, stripped + 2));
  }

  private static byte[] bytes(SplittableRandom random) {
    int length = random.nextInt(20);
    if (random.nextInt(20) == 0) {
      length += random.nextInt(70_000);
    }
    byte[] bytes = new byte[length];
    // A common beginning, so that prefixes do not decide everything.
    int common = random.nextInt(4) == 0 ? Math.min(10, length) : 0;
    for (int i = common; i < length; i++) {
      bytes[i] = (byte) random.nextInt(i < 12 ? 3 : 256);
    }
    return bytes;
  }

  private static byte[] concat(byte[] left, byte[] right) {
    byte[] both = new byte[left.length + right.length];
    System.arraycopy(left, 0, both, 0, left.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return both;
  }

  /** Hadoop's variable-length integer. */
  static byte[] variable(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (value >= -112 && value <= 127) {
      out.write((int) value);
      return out.toByteArray();
    }
    long magnitude = value < 0 ? ~value : value;
    int length = (71 - Long.numberOfLeadingZeros(magnitude)) / 8;
    out.write((value < 0 ? -120 : -112) - length);
    for (int i = length - 1; i >= 0; i--) {
      out.write((int) (magnitude >>> (8 * i)));
    }
    return out.toByteArray();
  }
}
