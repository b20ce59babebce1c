package dev.sailfish.format.order;

/**
 * How a serialized key becomes a <em>normalized key</em>, whose unsigned byte order (a proper
 * prefix first) is the order of the keys, and back. Both ways work in place and are exact inverses.
 *
 * <p>An encoding may strip a prefix that only repeats the key's length; {@link #normalize} returns
 * how many bytes it stripped, and {@link #denormalize} writes them again into the bytes
 * <em>before</em> the key, at most {@link #MAX_PREFIX} of them.
 *
 * <p>The encodings are those of Hadoop's Writables, but nothing here knows Hadoop: which key class
 * with which comparator uses which encoding is the plug-in's business.
 */
public enum KeyEncoding {
  /** The serialized bytes are the order already (BooleanWritable, NullWritable, plain bytes). */
  RAW,
  /** A variable-length length as Hadoop's WritableUtils writes it, then the bytes (Text). */
  TEXT,
  /** A four-byte length, then the bytes (BytesWritable, HiveKey). */
  BYTES,
  /** Two's complement of any width: the sign bit is flipped (Byte-, Short-, Int-, LongWritable). */
  SIGNED,
  /** {@link #SIGNED} in descending order: all bits but the sign are flipped. */
  SIGNED_DESCENDING,
  /** IEEE 754 with the order of {@code Float.compare}, {@code Double.compare}; canonical NaN. */
  FLOATING,
  /** A variable-length integer as Hadoop's WritableUtils writes it (VInt-, VLongWritable). */
  VARIABLE_INTEGER;

  /** The longest prefix that an encoding strips, in bytes. */
  public static final int MAX_PREFIX = 5;

  private static final int BYTES_PREFIX = 4;
  private static final int SMALLEST_SINGLE = -112;
  private static final int SMALLEST_POSITIVE_TAG = -120;
  private static final int SINGLE_BASE = 8;
  private static final int POSITIVE_BASE = 248;

  /**
   * Normalizes the serialized key of {@code length} bytes at {@code offset} in place.
   *
   * @return how many bytes at the front were stripped: the normalized key is the rest
   * @throws IllegalArgumentException when the bytes are not what this encoding expects
   */
  public int normalize(byte[] buffer, int offset, int length) {
    switch (this) {
      case RAW -> {}
      case TEXT -> {
        return stripTextLength(buffer, offset, length);
      }
      case BYTES -> {
        return stripBytesLength(buffer, offset, length);
      }
      case SIGNED -> flipSign(buffer, offset, length);
      case SIGNED_DESCENDING -> flipAllButSign(buffer, offset, length);
      case FLOATING -> flipFloating(buffer, offset, length, length > 0 && buffer[offset] < 0);
      case VARIABLE_INTEGER -> encodeVariable(buffer, offset, length);
    }
    return 0;
  }

  /**
   * Turns the normalized key of {@code length} bytes at {@code offset} into the serialized key, in
   * place, and writes a stripped prefix back into the bytes before it.
   *
   * @return how many bytes were written before {@code offset}; the serialized key begins there
   * @throws IndexOutOfBoundsException when there is no room before {@code offset}; callers leave
   *     {@link #MAX_PREFIX} bytes
   */
  public int denormalize(byte[] buffer, int offset, int length) {
    switch (this) {
      case RAW -> {}
      case TEXT -> {
        return putTextLength(buffer, offset, length);
      }
      case BYTES -> {
        putInt(buffer, offset - BYTES_PREFIX, length);
        return BYTES_PREFIX;
      }
      case SIGNED -> flipSign(buffer, offset, length);
      case SIGNED_DESCENDING -> flipAllButSign(buffer, offset, length);
      case FLOATING -> flipFloating(buffer, offset, length, length > 0 && buffer[offset] >= 0);
      case VARIABLE_INTEGER -> decodeVariable(buffer, offset, length);
    }
    return 0;
  }

  /**
   * The first eight bytes of a normalized key as a number whose <em>unsigned</em> order agrees with
   * the order of the keys; shorter keys are filled with zero bytes.
   */
  public static long prefix(byte[] buffer, int offset, int length) {
    long prefix = 0;
    int bytes = Math.min(length, Long.BYTES);
    for (int i = 0; i < bytes; i++) {
      prefix |= (buffer[offset + i] & 0xffL) << (56 - 8 * i);
    }
    return prefix;
  }

  private static void flipSign(byte[] buffer, int offset, int length) {
    if (length > 0) {
      buffer[offset] ^= (byte) 0x80;
    }
  }

  private static void flipAll(byte[] buffer, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      buffer[i] = (byte) ~buffer[i];
    }
  }

  private static void flipAllButSign(byte[] buffer, int offset, int length) {
    flipAll(buffer, offset, length);
    flipSign(buffer, offset, length);
  }

  private static void flipFloating(byte[] buffer, int offset, int length, boolean negative) {
    if (negative) {
      flipAll(buffer, offset, length);
    } else {
      flipSign(buffer, offset, length);
    }
  }

  private static int stripTextLength(byte[] buffer, int offset, int length) {
    int first = length > 0 ? buffer[offset] : SMALLEST_POSITIVE_TAG - 1;
    if (first >= 0 && first == length - 1) {
      return 1;
    }
    int lengthBytes = SMALLEST_SINGLE - first;
    if (lengthBytes >= 1 && lengthBytes <= 4 && length > lengthBytes) {
      int stated = 0;
      for (int i = 1; i <= lengthBytes; i++) {
        stated = stated << 8 | buffer[offset + i] & 0xff;
      }
      if (stated == length - 1 - lengthBytes && stated > 127) {
        return 1 + lengthBytes;
      }
    }
    throw new IllegalArgumentException(
        "not a serialized Text: length=" + length + " first byte=" + first);
  }

  private static int putTextLength(byte[] buffer, int offset, int length) {
    if (length <= 127) {
      buffer[offset - 1] = (byte) length;
      return 1;
    }
    int lengthBytes = (39 - Integer.numberOfLeadingZeros(length)) / 8;
    for (int i = 0; i < lengthBytes; i++) {
      buffer[offset - 1 - i] = (byte) (length >>> (8 * i));
    }
    buffer[offset - 1 - lengthBytes] = (byte) (SMALLEST_SINGLE - lengthBytes);
    return 1 + lengthBytes;
  }

  private static int stripBytesLength(byte[] buffer, int offset, int length) {
    int stated = Integer.MIN_VALUE;
    if (length >= BYTES_PREFIX) {
      stated =
          buffer[offset] << 24
              | (buffer[offset + 1] & 0xff) << 16
              | (buffer[offset + 2] & 0xff) << 8
              | buffer[offset + 3] & 0xff;
    }
    if (stated != length - BYTES_PREFIX) {
      throw new IllegalArgumentException(
          "not serialized BytesWritable: length=" + length + " stated=" + stated);
    }
    return BYTES_PREFIX;
  }

  private static void putInt(byte[] buffer, int offset, int value) {
    buffer[offset] = (byte) (value >>> 24);
    buffer[offset + 1] = (byte) (value >>> 16);
    buffer[offset + 2] = (byte) (value >>> 8);
    buffer[offset + 3] = (byte) value;
  }

  /*
   * First byte t of Hadoop's variable-length integers, in the order of the values, and its code:
   *
   *   -128 .. -121   negative, 8 .. 1 magnitude bytes (one's complement)   0 ..   7
   *   -112 ..  127   the value itself                                      8 .. 247
   *   -113 .. -120   positive, 1 .. 8 magnitude bytes                    248 .. 255
   *
   * The magnitude bytes of negative values are complemented: a larger magnitude is a smaller value.
   */
  private static void encodeVariable(byte[] buffer, int offset, int length) {
    int tag = length > 0 ? buffer[offset] : 0;
    int magnitude;
    int ordered;
    if (tag >= SMALLEST_SINGLE) {
      magnitude = 0;
      ordered = tag - SMALLEST_SINGLE + SINGLE_BASE;
    } else if (tag >= SMALLEST_POSITIVE_TAG) {
      magnitude = SMALLEST_SINGLE - tag;
      ordered = POSITIVE_BASE + magnitude - 1;
    } else {
      magnitude = SMALLEST_POSITIVE_TAG - tag;
      ordered = SINGLE_BASE - magnitude;
      if (length == 1 + magnitude) {
        flipAll(buffer, offset + 1, magnitude);
      }
    }
    if (length != 1 + magnitude) {
      throw new IllegalArgumentException(
          "not a variable-length integer: length=" + length + " first byte=" + tag);
    }
    buffer[offset] = (byte) ordered;
  }

  private static void decodeVariable(byte[] buffer, int offset, int length) {
    int ordered = length > 0 ? buffer[offset] & 0xff : SINGLE_BASE;
    int tag;
    if (ordered < SINGLE_BASE) {
      tag = SMALLEST_POSITIVE_TAG - (SINGLE_BASE - ordered);
      flipAll(buffer, offset + 1, length - 1);
    } else if (ordered < POSITIVE_BASE) {
      tag = ordered - SINGLE_BASE + SMALLEST_SINGLE;
    } else {
      tag = SMALLEST_SINGLE - (ordered - POSITIVE_BASE + 1);
    }
    buffer[offset] = (byte) tag;
  }
}
