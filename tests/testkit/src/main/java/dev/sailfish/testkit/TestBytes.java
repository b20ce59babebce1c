package dev.sailfish.testkit;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Makes bytes for tests; the same generator state always gives the same bytes. */
public final class TestBytes {

  private static final byte[] LETTERS =
      "abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
  private static final int MIN_REPEAT = 8;
  private static final int MAX_REPEAT = 64;

  private TestBytes() {}

  /** Bytes of which no codec saves anything. */
  public static byte[] random(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Printable ASCII: lower-case words of 1 to 12 letters with one space between them. */
  public static byte[] text(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    int wordEnd = random.nextInt(1, 13);
    for (int i = 0; i < length; i++) {
      if (i == wordEnd) {
        bytes[i] = ' ';
        wordEnd = i + 1 + random.nextInt(1, 13);
      } else {
        bytes[i] = LETTERS[random.nextInt(LETTERS.length)];
      }
    }
    return bytes;
  }

  /**
   * Bytes that a codec can shrink: about {@code repeatedShare} of them are copies of earlier ones.
   *
   * @param repeatedShare between 0 (like {@link #random}) and 1 (one byte, over and over)
   */
  public static byte[] compressible(SplittableRandom random, int length, double repeatedShare) {
    if (!(repeatedShare >= 0 && repeatedShare <= 1)) {
      throw new IllegalArgumentException(
          "repeatedShare=" + repeatedShare + " is not between 0 and 1");
    }
    byte[] bytes = new byte[length];
    int filled = 0;
    while (filled < length) {
      int run = Math.min(random.nextInt(MIN_REPEAT, MAX_REPEAT + 1), length - filled);
      if (filled > 0 && random.nextDouble() < repeatedShare) {
        int from = random.nextInt(filled);
        for (int i = 0; i < run; i++) {
          bytes[filled + i] = bytes[from + i];
        }
      } else {
        run = filled == 0 && repeatedShare == 1 ? 1 : run;
        for (int i = 0; i < run; i++) {
          bytes[filled + i] = (byte) random.nextInt(256);
        }
      }
      filled += run;
    }
    return bytes;
  }

  /**
   * A length between 0 and {@code max}, both included, where each order of magnitude is equally
   * likely: most are small, 0 and {@code max} themselves turn up, some are very large.
   */
  public static int skewedLength(SplittableRandom random, int max) {
    int bits = 32 - Integer.numberOfLeadingZeros(max);
    int shift = random.nextInt(bits + 1);
    if (shift == bits) {
      return random.nextInt(4) == 0 ? max : random.nextInt(max + 1);
    }
    return Math.min(max, random.nextInt(1 << shift));
  }
}
