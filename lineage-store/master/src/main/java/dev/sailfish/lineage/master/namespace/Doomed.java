package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Trees that were deleted: out of everybody's sight at once, however large, and freed bit by bit
 * with the changes that follow. A stack of slots, in which what is in a directory lies above it.
 */
final class Doomed {
  private final InodeTable inodes;
  private final Deque<Integer> slots = new ArrayDeque<>();

  Doomed(InodeTable inodes) {
    this.inodes = inodes;
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  /** Adds a file or directory that is in no directory any more. */
  void add(int slot) {
    inodes.setParent(slot, InodeTable.NONE);
    slots.push(slot);
  }

  /**
   * Frees some.
   *
   * @param limit how many, at most
   * @param directories gives the entries of a directory
   * @param isFreed asked with each slot, before it is free; not: somebody has taken it
   */
  void free(int limit, IntFunction<Directory> directories, IntPredicate isFreed) {
    for (int i = 0; i < limit && !slots.isEmpty(); ) {
      int slot = slots.peek();
      Directory entries = inodes.isDirectory(slot) ? directories.apply(slot) : null;
      if (entries == null || entries.size() == 0) {
        slots.pop();
        if (isFreed.test(slot)) {
          inodes.free(slot);
        }
        i++;
      } else {
        int last = entries.last();
        entries.remove(inodes.name(last));
        add(last);
      }
    }
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(slots.size());
    for (int slot : slots) {
      out.writeInt(slot);
    }
  }

  void read(DataInputStream in) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      slots.addLast(in.readInt());
    }
  }
}
