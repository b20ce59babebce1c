package dev.sailfish.iappender;

import java.util.Arrays;

/**
 * Sorts numbers by their upper 40 bits, unsigned, and keeps the order of those that agree in them:
 * a radix sort from the least significant digit, which skips digits that all numbers have in
 * common. Keeps its arrays. Not thread-safe.
 */
final class PrefixSorter {
  /** How many of the lower bits are not looked at. */
  static final int IGNORED_BITS = 24;

  private static final int DIGIT_BITS = 10;
  private static final int DIGITS = 1 << DIGIT_BITS;
  private static final int PASSES = (Long.SIZE - IGNORED_BITS) / DIGIT_BITS;

  /** Below, the JDK's sort is cheaper than counting digits; it needs the lower bits to ascend. */
  private static final int FEW = 256;

  private final int[] counts = new int[PASSES * DIGITS];
  private long[] numbers = new long[0];
  private long[] spare = new long[0];

  /** The array to be filled, with room for {@code count} numbers; sorted in place. */
  long[] room(int count) {
    if (numbers.length < count) {
      numbers = new long[count + count / 8];
      spare = new long[numbers.length];
    }
    return numbers;
  }

  /**
   * Sorts the first {@code count} numbers of {@link #room}; their lower bits must ascend.
   *
   * @return where they are sorted: the array that {@code room} returns from now on
   */
  long[] sort(int count) {
    if (count < FEW) {
      flip(count);
      Arrays.sort(numbers, 0, count);
      flip(count);
    } else {
      countDigits(count);
      for (int pass = 0; pass < PASSES; pass++) {
        distribute(pass, count);
      }
    }
    return numbers;
  }

  private void flip(int count) {
    for (int i = 0; i < count; i++) {
      numbers[i] ^= Long.MIN_VALUE;
    }
  }

  private void countDigits(int count) {
    Arrays.fill(counts, 0);
    for (int i = 0; i < count; i++) {
      long prefix = numbers[i] >>> IGNORED_BITS;
      counts[(int) prefix & DIGITS - 1]++;
      counts[DIGITS + ((int) (prefix >>> DIGIT_BITS) & DIGITS - 1)]++;
      counts[2 * DIGITS + ((int) (prefix >>> 2 * DIGIT_BITS) & DIGITS - 1)]++;
      counts[3 * DIGITS + (int) (prefix >>> 3 * DIGIT_BITS)]++;
    }
  }

  private void distribute(int pass, int count) {
    int shift = IGNORED_BITS + pass * DIGIT_BITS;
    int base = pass * DIGITS;
    if (counts[base + digit(numbers[0], shift)] == count) {
      return;
    }
    int position = 0;
    for (int digit = base; digit < base + DIGITS; digit++) {
      int size = counts[digit];
      counts[digit] = position;
      position += size;
    }
    for (int i = 0; i < count; i++) {
      long number = numbers[i];
      spare[counts[base + digit(number, shift)]++] = number;
    }
    long[] swap = numbers;
    numbers = spare;
    spare = swap;
  }

  private static int digit(long number, int shift) {
    return (int) (number >>> shift) & DIGITS - 1;
  }
}
