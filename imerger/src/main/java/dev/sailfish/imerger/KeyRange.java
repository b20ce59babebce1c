package dev.sailfish.imerger;

import dev.sailfish.format.KeyOrder;

/**
 * The keys from one to before another. Bounds are <em>normalized</em> keys where keys have a
 * normalized order, else serialized keys, which the job's comparator compares. The arrays are not
 * copied and must not be changed.
 *
 * @param from the first key; null: from the beginning
 * @param to the upper key, exclusive; null: to the end
 */
public record KeyRange(byte[] from, byte[] to) {
  /** Whether it has a key. */
  boolean holds(KeyOrder order, byte[] buffer, int offset, int length) {
    return (from == null || order.compare(buffer, offset, length, from, 0, from.length) >= 0)
        && (to == null || order.compare(buffer, offset, length, to, 0, to.length) < 0);
  }
}
