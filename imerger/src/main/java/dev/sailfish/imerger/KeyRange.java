package dev.sailfish.imerger;

import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.StoredKeyComparator;

/**
 * The keys from one border to before another, whole groups only. A border means the first key of
 * its group, whether there is one before it or not ({@link GroupOrder#isBefore}): so ranges whose
 * borders touch share no key and no group, and leave none out.
 *
 * <p>Bounds are <em>normalized</em> keys where keys have a normalized order, else serialized keys,
 * which the job's comparator compares; with a grouping comparator they are whole keys, not cut as
 * in an index. The arrays are not copied and must not be changed.
 *
 * @param from the first key; null: from the beginning
 * @param to the upper key, exclusive; null: to the end
 * @param grouping zero for two keys of one group; takes keys as they are stored, so that the
 *     comparator of a job with normalized keys needs {@link StoredKeyComparator} around it. Called
 *     by the thread that reads; what it throws is passed on. Null: a group is equal keys
 */
public record KeyRange(byte[] from, byte[] to, KeyComparator grouping) {
  /** A range of a job whose groups are equal keys. */
  public KeyRange(byte[] from, byte[] to) {
    this(from, to, null);
  }

  /** Whether a key comes before all that the range has. */
  boolean isBelow(GroupOrder groups, byte[] buffer, int offset, int length) {
    return from != null && groups.isBefore(buffer, offset, length, from);
  }

  /** Whether a key comes behind all that the range has. */
  boolean isAbove(GroupOrder groups, byte[] buffer, int offset, int length) {
    return to != null && !groups.isBefore(buffer, offset, length, to);
  }
}
