package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import java.nio.charset.StandardCharsets;

/** A line of ASCII text that is written from left to right and used again. Not thread-safe. */
public final class Line {
  /** Bytes of a time of day. */
  public static final int TIME_BYTES = 19;

  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final int BITS_PER_DIGIT = 4;
  private static final int DECIMAL = 10;
  private static final int SECONDS_PER_MINUTE = 60;
  private static final int SECONDS_PER_DAY = 86_400;
  private static final byte[] DAY = ascii("2012-06-14T");

  private final byte[] bytes;
  private int length;

  /**
   * An empty line.
   *
   * @param capacity bytes of the longest line
   */
  public Line(int capacity) {
    bytes = new byte[capacity];
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static byte[][] ascii(String... texts) {
    byte[][] all = new byte[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      all[i] = ascii(texts[i]);
    }
    return all;
  }

  Line clear() {
    length = 0;
    return this;
  }

  Line put(byte[] text) {
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
    return this;
  }

  /** The next field begins. */
  Line tab() {
    bytes[length++] = '\t';
    return this;
  }

  /** The last digits of a number that is not negative, with leading zeros. */
  Line decimal(long number, int digits) {
    long rest = number;
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % DECIMAL);
      rest /= DECIMAL;
    }
    length += digits;
    return this;
  }

  /** The last digits of a number, with leading zeros. */
  Line hex(long number, int digits) {
    long rest = number;
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = HEX[(int) rest & (HEX.length - 1)];
      rest >>>= BITS_PER_DIGIT;
    }
    length += digits;
    return this;
  }

  /** A moment of the one day that all data is of, by some bits of {@code random}. */
  Line time(long random) {
    int secondOfDay = (int) ((random >>> Byte.SIZE & 0xffff_ffffL) % SECONDS_PER_DAY);
    int minutes = secondOfDay / SECONDS_PER_MINUTE;
    put(DAY).decimal(minutes / SECONDS_PER_MINUTE, 2);
    bytes[length++] = ':';
    decimal(minutes % SECONDS_PER_MINUTE, 2);
    bytes[length++] = ':';
    return decimal(secondOfDay % SECONDS_PER_MINUTE, 2);
  }

  /** A user's name: 9 bytes, no two the same, and not in the order of the numbers. */
  Line user(long number) {
    bytes[length++] = 'u';
    return hex(RecordHash.scramble((int) number), Integer.BYTES * 2);
  }

  /** Digits that follow from {@code random}, up to this position: an opaque token. */
  Line fillTo(int end, long random) {
    long bits = random;
    while (length < end) {
      bits = RecordHash.mix(bits + 1);
      hex(bits, Math.min(end - length, Long.BYTES * 2));
    }
    return this;
  }

  /** Of what was written from here on. */
  long hashFrom(int offset) {
    return RecordHash.of(bytes, offset, length - offset);
  }

  /** Of the first bytes of what was written from here on. */
  long hashOfHead(int offset) {
    return RecordHash.ofHead(bytes, offset, length - offset);
  }

  /** The line and perhaps more behind it; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Bytes of the line. */
  public int length() {
    return length;
  }
}
