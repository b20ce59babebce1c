package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;

/**
 * Which files' blocks stay in the memory that they are in. A pin is a flag of a file or directory;
 * a file is pinned if it has the flag, or a directory has it that the file is in now, at any depth.
 * So pinning a tree is one change, and what is moved into it is pinned.
 */
public final class Pins {
  private final Tree tree;
  private final InodeTable inodes;
  private int count;
  private long changes;

  Pins(Tree tree, InodeTable inodes) {
    this.tree = tree;
    this.inodes = inodes;
  }

  /** Pins the caller's file or directory, or ends that. A repetition does no harm. */
  public void set(StorePath path, boolean pinned, Caller caller) throws NamespaceException {
    int slot = tree.walk(path, caller);
    if (!tree.access().isOwner(caller, slot)) {
      throw tree.access().denied(caller, "pin or unpin", path.toString(), slot);
    }
    if (inodes.isPinned(slot) != pinned) {
      inodes.setPinned(slot, pinned);
      count += pinned ? 1 : -1;
      changes++;
    }
  }

  /** Whether a file of this id is there and pinned. */
  public boolean isPinned(long fid) {
    if (count == 0) {
      return false;
    }
    int slot = inodes.find(fid);
    boolean isPinned = false;
    for (int at = slot; at != InodeTable.NONE; at = inodes.parent(at)) {
      isPinned |= inodes.isPinned(at);
    }
    return isPinned;
  }

  /** How many files and directories have the flag. */
  public int size() {
    return count;
  }

  /** Another number whenever something was pinned or unpinned; not the same on all masters. */
  public long changes() {
    return changes;
  }

  /** The slot is about to be free. */
  void forget(int slot) {
    if (inodes.isPinned(slot)) {
      count--;
    }
  }

  /** Counts those of a table that was read. */
  void recount() {
    count = 0;
    for (int slot = 0; slot < inodes.slots(); slot++) {
      if (inodes.kind(slot) != Kind.FREE && inodes.isPinned(slot)) {
        count++;
      }
    }
    changes++;
  }
}
