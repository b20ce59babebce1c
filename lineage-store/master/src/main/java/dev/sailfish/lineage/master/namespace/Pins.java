package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
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
    return pin(fid) != InodeTable.NONE;
  }

  /** The nearest slot with the flag, from a file or directory of this id upwards, or NONE. */
  private int pin(long fid) {
    int at = count == 0 ? InodeTable.NONE : inodes.find(fid);
    while (at != InodeTable.NONE && !inodes.isPinned(at)) {
      at = inodes.parent(at);
    }
    return at;
  }

  /**
   * The blocks of a file, or of all files of a directory, are to leave memory.
   *
   * @param info of what is at the path
   * @throws NamespaceException INVALID when it is pinned, saying by what
   */
  public void requireUnpinned(StorePath path, FileInfo info) throws NamespaceException {
    int pin = pin(info.fid());
    if (pin != InodeTable.NONE) {
      throw new NamespaceException(
          Reason.INVALID,
          "%s is pinned, by the pin of %s, and stays in memory: unpin %2$s first"
              .formatted(path, tree.path(pin)));
    }
  }

  /** How many files and directories have the flag. */
  public int size() {
    return count;
  }

  /** Another number whenever something was pinned or unpinned; not the same on all masters. */
  public long changes() {
    return changes;
  }

  /** The slot is about to be free, or is kept for others than who has pinned it. */
  void forget(int slot) {
    if (inodes.isPinned(slot)) {
      inodes.setPinned(slot, false);
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
