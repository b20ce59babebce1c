package dev.sailfish.iappender;

import dev.sailfish.format.KeyComparator;
import dev.sailfish.format.KeyEncoding;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.Varint;
import java.util.Arrays;

/**
 * Puts the records of one buffer in key order, those with equal keys in the order they came in.
 * What is sorted are the offsets of the records; the records stay where they are. All arrays are
 * kept and used again.
 *
 * <p>With a comparator: merge sort. Normalized keys: the first 40 bits of the key and the record's
 * ordinal make one number; these are sorted, and only records that agree in those bits are compared
 * byte by byte.
 */
final class BlockSorter {
  /** Memory that sorting needs for each record, in bytes. */
  static final int COST_PER_RECORD = 20;

  private static final int ORDINAL_BITS = 24;
  private static final long ORDINAL_MASK = (1L << ORDINAL_BITS) - 1;

  /** The most records that one call sorts. */
  static final int MAX_RECORDS = 1 << ORDINAL_BITS;

  private static final int SHORT_RUN = 7;

  private final KeyComparator comparator;
  private int[] order = new int[0];
  private int[] scratch = new int[0];
  private long[] prefixes = new long[0];

  BlockSorter(KeyOrder keyOrder) {
    comparator = keyOrder.ordering() == Ordering.COMPARATOR ? keyOrder.comparator() : null;
  }

  /**
   * Sorts.
   *
   * @param bytes holds the records back to back
   * @param from where the first of them begins
   * @param count how many there are, at most {@link #MAX_RECORDS}
   * @return where they begin, in their order; valid until the next call
   */
  int[] sort(byte[] bytes, int from, int count) {
    if (count > MAX_RECORDS) {
      throw new IllegalArgumentException(
          "too many records in a block: records=" + count + " limit=" + MAX_RECORDS);
    }
    if (order.length < count) {
      order = new int[count + count / 8];
      scratch = new int[order.length];
    }
    if (comparator != null) {
      index(bytes, from, count, order);
      mergeSort(bytes, 0, count);
    } else {
      index(bytes, from, count, scratch);
      prefixSort(bytes, count);
    }
    return order;
  }

  private static void index(byte[] bytes, int from, int count, int[] offsets) {
    int position = from;
    for (int i = 0; i < count; i++) {
      offsets[i] = position;
      position = end(bytes, position);
    }
  }

  /** Where the record at {@code position} ends. */
  static int end(byte[] bytes, int position) {
    int valueLength = Varint.get(bytes, position, bytes.length);
    int keyPosition = position + Varint.length(valueLength);
    int keyLength = Varint.get(bytes, keyPosition, bytes.length);
    return keyPosition + Varint.length(keyLength) + keyLength + valueLength;
  }

  /** Copies the records in the order given, back to back. */
  static void gather(byte[] bytes, int[] order, int count, byte[] target, int offset) {
    int position = offset;
    for (int i = 0; i < count; i++) {
      int length = end(bytes, order[i]) - order[i];
      System.arraycopy(bytes, order[i], target, position, length);
      position += length;
    }
  }

  private void prefixSort(byte[] bytes, int count) {
    if (prefixes.length < count) {
      prefixes = new long[order.length];
    }
    for (int i = 0; i < count; i++) {
      int keyPosition = scratch[i] + valueLengthBytes(bytes, scratch[i]);
      int keyLength = Varint.get(bytes, keyPosition, bytes.length);
      long prefix =
          KeyEncoding.prefix(bytes, keyPosition + Varint.length(keyLength), keyLength)
              ^ Long.MIN_VALUE;
      prefixes[i] = prefix & ~ORDINAL_MASK | i;
    }
    Arrays.sort(prefixes, 0, count);
    for (int i = 0; i < count; i++) {
      order[i] = scratch[(int) (prefixes[i] & ORDINAL_MASK)];
    }
    int low = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || (prefixes[i] ^ prefixes[low]) >>> ORDINAL_BITS != 0) {
        if (i - low > 1) {
          mergeSort(bytes, low, i);
        }
        low = i;
      }
    }
  }

  private static int valueLengthBytes(byte[] bytes, int position) {
    int count = 1;
    while (bytes[position + count - 1] < 0) {
      count++;
    }
    return count;
  }

  /** Stable, bottom-up; runs that are in order already are not touched. */
  private void mergeSort(byte[] bytes, int low, int high) {
    for (int run = low; run < high; run += SHORT_RUN) {
      insertionSort(bytes, run, Math.min(run + SHORT_RUN, high));
    }
    for (int width = SHORT_RUN; width < high - low; width *= 2) {
      for (int left = low; left + width < high; left += 2 * width) {
        merge(bytes, left, left + width, Math.min(left + 2 * width, high));
      }
    }
  }

  private void insertionSort(byte[] bytes, int low, int high) {
    for (int i = low + 1; i < high; i++) {
      int record = order[i];
      int slot = i;
      while (slot > low && compare(bytes, order[slot - 1], record) > 0) {
        order[slot] = order[slot - 1];
        slot--;
      }
      order[slot] = record;
    }
  }

  private void merge(byte[] bytes, int low, int middle, int high) {
    if (compare(bytes, order[middle - 1], order[middle]) <= 0) {
      return;
    }
    int count = middle - low;
    System.arraycopy(order, low, scratch, 0, count);
    int left = 0;
    int right = middle;
    int target = low;
    while (left < count && right < high) {
      boolean takeRight = compare(bytes, scratch[left], order[right]) > 0;
      order[target++] = takeRight ? order[right++] : scratch[left++];
    }
    System.arraycopy(scratch, left, order, target, count - left);
  }

  private int compare(byte[] bytes, int left, int right) {
    int leftKey = left + valueLengthBytes(bytes, left);
    int leftLength = Varint.get(bytes, leftKey, bytes.length);
    leftKey += Varint.length(leftLength);
    int rightKey = right + valueLengthBytes(bytes, right);
    int rightLength = Varint.get(bytes, rightKey, bytes.length);
    rightKey += Varint.length(rightLength);
    if (comparator != null) {
      return comparator.compare(bytes, leftKey, leftLength, bytes, rightKey, rightLength);
    }
    return Arrays.compareUnsigned(
        bytes, leftKey, leftKey + leftLength, bytes, rightKey, rightKey + rightLength);
  }
}
