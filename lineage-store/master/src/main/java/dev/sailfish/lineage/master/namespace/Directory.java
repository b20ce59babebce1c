package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import java.util.Arrays;

/**
 * What is in one directory, in the order of the names' bytes: slots of the table, in leaves of up
 * to 512. A leaf is exactly as long as it is full, so that a directory of one file costs a few
 * dozen bytes; the largest copy that an insertion makes is one leaf. For one thread.
 */
final class Directory {
  private static final int LEAF = 512;
  private static final int[][] EMPTY = {{}};

  private final InodeTable inodes;
  private int[][] leaves = EMPTY; // never none; only the only one may be empty
  private int size;

  Directory(InodeTable inodes) {
    this.inodes = inodes;
  }

  int size() {
    return size;
  }

  /** The slot with this name, or {@link InodeTable#NONE}. */
  int find(byte[] name) {
    int[] leaf = leaves[leafOf(name)];
    int at = search(leaf, name);
    return at < 0 ? InodeTable.NONE : leaf[at];
  }

  /** Adds a slot, whose name in the table no other one here has. */
  void add(int slot) {
    byte[] name = inodes.name(slot);
    int number = leafOf(name);
    int[] leaf = leaves[number];
    int at = -search(leaf, name) - 1;
    if (at < 0) {
      throw new IllegalStateException("a name comes twice: slot=" + slot);
    }
    size++;
    if (leaf.length < LEAF) {
      leaves = leaves == EMPTY ? new int[1][] : leaves;
      leaves[number] = insert(leaf, at, slot);
      return;
    }
    // Names that come in order, as those of part files do, leave full leaves behind.
    boolean atEnd = number == leaves.length - 1 && at == LEAF;
    int half = atEnd ? LEAF : LEAF / 2;
    int[] left = Arrays.copyOf(leaf, half);
    int[] right = Arrays.copyOfRange(leaf, half, LEAF);
    if (at < half) {
      left = insert(left, at, slot);
    } else {
      right = insert(right, at - half, slot);
    }
    replace(number, 1, left, right);
  }

  /** Removes the slot with this name, if there is one. */
  void remove(byte[] name) {
    int number = leafOf(name);
    int[] leaf = leaves[number];
    int at = search(leaf, name);
    if (at < 0) {
      return;
    }
    size--;
    int[] rest = new int[leaf.length - 1];
    System.arraycopy(leaf, 0, rest, 0, at);
    System.arraycopy(leaf, at + 1, rest, at, rest.length - at);
    leaves[number] = rest;
    if (leaves.length == 1) {
      leaves = rest.length == 0 ? EMPTY : leaves;
    } else {
      mergeIfSmall(Math.min(number, leaves.length - 2));
    }
  }

  private void mergeIfSmall(int number) {
    int[] left = leaves[number];
    int[] right = leaves[number + 1];
    boolean isOneEmpty = left.length == 0 || right.length == 0;
    if (isOneEmpty || left.length + right.length <= LEAF / 2) {
      int[] both = Arrays.copyOf(left, left.length + right.length);
      System.arraycopy(right, 0, both, left.length, right.length);
      replace(number, 2, both);
    }
  }

  private void replace(int number, int count, int[]... by) {
    int[][] next = new int[leaves.length - count + by.length][];
    System.arraycopy(leaves, 0, next, 0, number);
    System.arraycopy(by, 0, next, number, by.length);
    int rest = leaves.length - number - count;
    System.arraycopy(leaves, number + count, next, number + by.length, rest);
    leaves = next;
  }

  private static int[] insert(int[] leaf, int at, int slot) {
    int[] next = Arrays.copyOf(leaf, leaf.length + 1);
    System.arraycopy(leaf, at, next, at + 1, leaf.length - at);
    next[at] = slot;
    return next;
  }

  /** The slot with the greatest name, of a directory that is not empty. */
  int last() {
    int[] leaf = leaves[leaves.length - 1];
    return leaf[leaf.length - 1];
  }

  /**
   * The first slots whose names come after a name, in order.
   *
   * @param name need not be here; an empty one comes before all
   */
  int[] after(byte[] name, int limit) {
    int number = leafOf(name);
    int at = search(leaves[number], name);
    at = at < 0 ? -at - 1 : at + 1;
    int[] found = new int[Math.min(limit, size)];
    int count = 0;
    for (; number < leaves.length && count < found.length; number++, at = 0) {
      int[] leaf = leaves[number];
      int taken = Math.min(leaf.length - at, found.length - count);
      System.arraycopy(leaf, at, found, count, taken);
      count += taken;
    }
    return Arrays.copyOf(found, count);
  }

  /** The last leaf that begins with this name or one before it, or the first leaf. */
  private int leafOf(byte[] name) {
    int low = 0;
    int high = leaves.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (compare(leaves[middle][0], name) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Where a name is, or as {@link Arrays#binarySearch} where it would be. */
  private int search(int[] leaf, byte[] name) {
    int low = 0;
    int high = leaf.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compare(leaf[middle], name);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }

  private int compare(int slot, byte[] name) {
    return Arrays.compareUnsigned(inodes.name(slot), name);
  }
}
