package dev.sailfish.iappender;

import dev.sailfish.format.Ordering;
import dev.sailfish.format.Varint;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import java.util.Arrays;

/**
 * Puts the records of one buffer in key order, those with equal keys in the order they came in.
 * What is sorted are the offsets of the records; the records stay where they are. All arrays are
 * kept and used again.
 *
 * <p>With a comparator: merge sort. Normalized keys: what all keys have in common is skipped, the
 * next 40 bits and the record's ordinal make one number, and these are sorted by a radix sort;
 * records that agree so far are sorted in the same way by what follows, if they are many, else they
 * are compared. Keys that come often, as words do, are never compared with each other.
 */
final class BlockSorter {
  /** Memory that sorting needs for each record, in bytes. */
  static final int COST_PER_RECORD = 28;

  private static final int ORDINAL_BITS = PrefixSorter.IGNORED_BITS;
  private static final long ORDINAL_MASK = (1L << ORDINAL_BITS) - 1;
  private static final int PREFIX_BYTES = (Long.SIZE - ORDINAL_BITS) / Byte.SIZE;

  /** The most records that one call sorts. */
  static final int MAX_RECORDS = 1 << ORDINAL_BITS;

  private static final int SHORT_RUN = 7;

  /** Up to so many records are compared. */
  private static final int FEW = 16;

  private static final int ALL_EQUAL = -1;

  private final KeyComparator comparator;
  private final PrefixSorter prefixes;
  private int[] order = new int[0];
  private int[] scratch = new int[0];

  /** Ranges to be sorted, three numbers each: from, to, how many bytes the keys have in common. */
  private int[] pending = new int[48];

  private int pendingLength;

  // The key that was looked at last.
  private int keyOffset;
  private int keyLength;

  BlockSorter(KeyOrder keyOrder) {
    comparator = keyOrder.ordering() == Ordering.COMPARATOR ? keyOrder.comparator() : null;
    prefixes = comparator == null ? new PrefixSorter() : null;
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
    index(bytes, from, count, order);
    if (comparator != null) {
      mergeSort(bytes, 0, count);
    } else {
      push(0, count, 0);
      while (pendingLength > 0) {
        pendingLength -= 3;
        sortRange(
            bytes, pending[pendingLength], pending[pendingLength + 1], pending[pendingLength + 2]);
      }
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
  private static int end(byte[] bytes, int position) {
    int valueLength = Varint.get(bytes, position, bytes.length);
    int keyPosition = position + Varint.length(valueLength);
    int keyLength = Varint.get(bytes, keyPosition, bytes.length);
    return keyPosition + Varint.length(keyLength) + keyLength + valueLength;
  }

  /** Length of the record at {@code position}, with its header. */
  static int length(byte[] bytes, int position) {
    return end(bytes, position) - position;
  }

  /**
   * Copies records, the first to before the last in the order given, back to back.
   *
   * @return where they end
   */
  static int gather(byte[] bytes, int[] order, int first, int last, byte[] target, int offset) {
    int position = offset;
    for (int i = first; i < last; i++) {
      int length = length(bytes, order[i]);
      System.arraycopy(bytes, order[i], target, position, length);
      position += length;
    }
    return position;
  }

  private void push(int low, int high, int common) {
    if (pendingLength == pending.length) {
      pending = Arrays.copyOf(pending, 2 * pendingLength);
    }
    pending[pendingLength++] = low;
    pending[pendingLength++] = high;
    pending[pendingLength++] = common;
  }

  /** Sorts records whose keys have {@code known} bytes in common, as far as is known. */
  private void sortRange(byte[] bytes, int low, int high, int known) {
    int count = high - low;
    if (count <= FEW) {
      mergeSort(bytes, low, high);
      return;
    }
    int common = common(bytes, low, high, known);
    if (common == ALL_EQUAL) {
      return;
    }
    long[] numbers = prefixes.room(count);
    for (int i = 0; i < count; i++) {
      seekKey(bytes, order[low + i]);
      long prefix = KeyEncoding.prefix(bytes, keyOffset + common, keyLength - common);
      numbers[i] = prefix & ~ORDINAL_MASK | i;
    }
    numbers = prefixes.sort(count);
    System.arraycopy(order, low, scratch, 0, count);
    for (int i = 0; i < count; i++) {
      order[low + i] = scratch[(int) (numbers[i] & ORDINAL_MASK)];
    }
    int first = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || (numbers[i] ^ numbers[first]) >>> ORDINAL_BITS != 0) {
        if (i - first > 1) {
          sortTied(bytes, low + first, low + i, common + PREFIX_BYTES);
        }
        first = i;
      }
    }
  }

  /** Sorts later, or compares, records that agree in {@code tied} bytes, if they have so many. */
  private void sortTied(byte[] bytes, int low, int high, int tied) {
    boolean allLonger = true;
    boolean sameLength = true;
    seekKey(bytes, order[low]);
    int length = keyLength;
    for (int i = low; i < high && (allLonger || sameLength); i++) {
      seekKey(bytes, order[i]);
      allLonger &= keyLength >= tied;
      sameLength &= keyLength == length;
    }
    if (allLonger) {
      push(low, high, tied);
    } else if (!sameLength) {
      // A key that ended was filled with zeros, which another one may really have.
      mergeSort(bytes, low, high);
    }
  }

  /** How many bytes all keys have in common, or that they are equal. */
  private int common(byte[] bytes, int low, int high, int known) {
    seekKey(bytes, order[low]);
    int first = keyOffset;
    int firstLength = keyLength;
    int common = firstLength;
    boolean equal = true;
    for (int i = low + 1; i < high && (equal || common > known); i++) {
      seekKey(bytes, order[i]);
      equal &= keyLength == firstLength;
      int limit = Math.min(common, keyLength);
      int mismatch =
          Arrays.mismatch(
              bytes, first + known, first + limit, bytes, keyOffset + known, keyOffset + limit);
      common = mismatch < 0 ? limit : known + mismatch;
      equal &= common == firstLength;
    }
    return equal ? ALL_EQUAL : common;
  }

  private void seekKey(byte[] bytes, int record) {
    int position = record + valueLengthBytes(bytes, record);
    keyLength = Varint.get(bytes, position, bytes.length);
    keyOffset = position + Varint.length(keyLength);
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
    seekKey(bytes, left);
    int leftKey = keyOffset;
    int leftLength = keyLength;
    seekKey(bytes, right);
    if (comparator != null) {
      return comparator.compare(bytes, leftKey, leftLength, bytes, keyOffset, keyLength);
    }
    return Arrays.compareUnsigned(
        bytes, leftKey, leftKey + leftLength, bytes, keyOffset, keyOffset + keyLength);
  }
}
