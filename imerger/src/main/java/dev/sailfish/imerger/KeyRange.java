package dev.sailfish.imerger;

import dev.sailfish.format.KeyComparator;
import java.util.Arrays;

/**
 * The keys from one to before another. Bounds are <em>normalized</em> keys where keys have a
 * normalized order, else serialized keys, which the job's comparator compares. The arrays are not
 * copied and must not be changed.
 *
 * @param from the first key; null: from the beginning
 * @param to the key behind the last; null: to the end
 */
public record KeyRange(byte[] from, byte[] to) {
  /**
   * Whether it has a key.
   *
   * @param comparator of keys, or null when their order is that of their bytes
   */
  boolean holds(KeyComparator comparator, byte[] buffer, int offset, int length) {
    return (from == null || compare(comparator, buffer, offset, length, from) >= 0)
        && (to == null || compare(comparator, buffer, offset, length, to) < 0);
  }

  private static int compare(
      KeyComparator comparator, byte[] buffer, int offset, int length, byte[] bound) {
    return comparator == null
        ? Arrays.compareUnsigned(buffer, offset, offset + length, bound, 0, bound.length)
        : comparator.compare(buffer, offset, length, bound, 0, bound.length);
  }
}
