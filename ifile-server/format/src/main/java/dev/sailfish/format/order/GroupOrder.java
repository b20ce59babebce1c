package dev.sailfish.format.order;

import java.util.Objects;

/**
 * In which order the keys of a job come, where its groups begin, and so on which side of a border a
 * key lies: the one definition that planner and readers go by. A group is a row of keys that follow
 * each other; reduce work begins and ends between groups.
 *
 * <p>Both comparators take keys as they are stored, on the caller's thread; they are the job's and
 * may throw whatever they like. They never get a key that an index has cut: callers see to it. A
 * job's grouping comparator takes serialized keys: with normalized keys it needs {@link
 * StoredKeyComparator} around it.
 *
 * @param keys the order of keys as they are stored
 * @param grouping zero for two keys of one group; takes keys as they are stored; null: a group is
 *     what is equal in the order of the keys
 */
public record GroupOrder(KeyOrder keys, KeyComparator grouping) {
  /** Checks that there is an order. */
  public GroupOrder {
    Objects.requireNonNull(keys, "keys");
  }

  /**
   * Whether a group is a key and the order that of unsigned bytes: then any bytes are a border,
   * whether there is such a key or not, and a key with a zero byte behind it follows the key.
   */
  public boolean isByBytes() {
    return keys.comparator() == null && grouping == null;
  }

  /** Compares two whole keys: below, equal to or above zero. */
  public int compare(byte[] left, byte[] right) {
    return keys.compare(left, 0, left.length, right, 0, right.length);
  }

  /** Whether two whole keys are in one group. */
  public boolean sameGroup(byte[] left, byte[] right) {
    return sameGroup(left, 0, left.length, right);
  }

  /** The same for a key of {@code length} bytes at {@code offset}. */
  public boolean sameGroup(byte[] buffer, int offset, int length, byte[] other) {
    int compared =
        grouping == null
            ? keys.compare(buffer, offset, length, other, 0, other.length)
            : grouping.compare(buffer, offset, length, other, 0, other.length);
    return compared == 0;
  }

  /**
   * Whether a key lies before a border, and so in another reduce work than what lies behind it. A
   * border means the first key of its group: the other keys of that group lie behind it too.
   */
  public boolean isBefore(byte[] key, byte[] border) {
    return isBefore(key, 0, key.length, border);
  }

  /** The same for a key of {@code length} bytes at {@code offset}; makes no object. */
  public boolean isBefore(byte[] buffer, int offset, int length, byte[] border) {
    return keys.compare(buffer, offset, length, border, 0, border.length) < 0
        && (grouping == null || !sameGroup(buffer, offset, length, border));
  }
}
