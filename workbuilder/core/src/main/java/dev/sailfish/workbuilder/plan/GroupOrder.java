package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.KeyComparator;
import dev.sailfish.format.KeyOrder;
import java.util.Objects;

/**
 * In which order the keys of a job come, and where its groups begin. A group is a row of keys that
 * follow each other; reduce work begins and ends between groups. Both comparators are the job's and
 * may throw whatever they like.
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
  int compare(byte[] left, byte[] right) {
    return keys.compare(left, 0, left.length, right, 0, right.length);
  }

  /** Whether two whole keys are in one group. */
  boolean sameGroup(byte[] left, byte[] right) {
    return grouping == null
        ? compare(left, right) == 0
        : grouping.compare(left, 0, left.length, right, 0, right.length) == 0;
  }

  /**
   * Whether a key lies before a border, and so in another reduce work than what lies behind it. A
   * border means the first key of its group: the other keys of that group lie behind it too.
   */
  public boolean isBefore(byte[] key, byte[] border) {
    return compare(key, border) < 0 && !sameGroup(key, border);
  }
}
