package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;

/** Moves files and directories, see {@link Namespace#rename}. */
final class Renames {
  private final Tree tree;
  private final InodeTable inodes;
  private final Doomed doomed;
  private final MountedTree mounted;

  Renames(Tree tree, Doomed doomed, MountedTree mounted) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.doomed = doomed;
    this.mounted = mounted;
  }

  void rename(StorePath from, StorePath to, boolean replace, Caller caller, long nowMs)
      throws NamespaceException {
    Move move = require(from, to, replace, caller);
    int slot = move.slot;
    int there = move.there;
    if (there == slot) {
      return;
    }
    if (there != InodeTable.NONE) {
      tree.detach(there, nowMs);
      doomed.add(there);
    }
    tree.move(slot, move.directory, to.last(), nowMs);
    mounted.moved(slot, there);
  }

  /** What is moved, the directory that it is moved to, and what is there in its place. */
  private record Move(int slot, int directory, int there) {}

  /** Throws what {@link #rename} would. */
  Move require(StorePath from, StorePath to, boolean replace, Caller caller)
      throws NamespaceException {
    int slot = tree.walk(from, caller);
    if (slot == InodeTable.ROOT || to.depth() == 0) {
      throw new NamespaceException(Reason.INVALID, "the root cannot be renamed or replaced");
    }
    int directory = tree.walk(to, to.depth() - 1, caller);
    tree.requireDirectory(directory, to, to.depth() - 1);
    int there = tree.child(directory, to, to.depth() - 1, caller);
    if (there == slot) {
      return new Move(slot, directory, there);
    }
    if (tree.isWithin(directory, slot)) {
      throw new NamespaceException(Reason.INVALID, from + " cannot be moved into itself: " + to);
    }
    mounted.requireMovable(from, to);
    tree.requireRemovable(caller, inodes.parent(slot), slot, from);
    tree.require(caller, Access.WRITE, "write in", directory, to.beginning(to.depth() - 1));
    if (there != InodeTable.NONE) {
      tree.requireReplaceable(slot, there, replace, to);
      tree.requireRemovable(caller, directory, there, to);
    }
    tree.quotas().requireMove(slot, directory, there);
    return new Move(slot, directory, there);
  }
}
