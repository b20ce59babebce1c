package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * Inputs that were deleted, that nothing can make again, and that are kept out of sight while a
 * dependency is kept that reads them: with their blocks and their ids, beside the {@link
 * RevivedFiles}, under the name that is their id. Those that are below are {@link KeptCopies}. One
 * is of a user who has recorded such a dependency, who may read it and not change it. One that is
 * deleted there goes.
 */
public final class KeptInputs {
  /** Of a file that is kept: its owner reads it. */
  static final int MODE = 0400;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final Doomed doomed;
  private final DependencyGraph graph;
  private final ClusterDirectories directories;

  KeptInputs(
      Tree tree,
      Principals principals,
      Blocks blocks,
      MountedTree mounted,
      Doomed doomed,
      DependencyGraph graph,
      ClusterDirectories directories) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
    this.blocks = blocks;
    this.mounted = mounted;
    this.doomed = doomed;
    this.graph = graph;
    this.directories = directories;
  }

  /**
   * A file that was deleted is to be freed: keeps it instead if it is needed, and workers have all
   * of it.
   *
   * @return whether it is kept
   */
  boolean keep(int slot) {
    long fid = inodes.fid(slot);
    long[] readers = graph.consumers(fid);
    boolean isNeeded = readers.length > 0 && !graph.isOutput(fid);
    if (!isNeeded || isKeptName(slot) || inodes.kind(slot) != Kind.COMPLETE) {
      return false;
    }
    if (!blocks.isWhole(slot)) {
      return false;
    }
    try {
      StorePath path = StorePath.of(RevivedFiles.path(fid));
      directories.require(path);
      if (directories.find(path) == InodeTable.NONE) {
        place(slot, path, owner(slot));
        return true;
      }
    } catch (NamespaceException e) {
      return false; // the directory is somebody else's, and no file can be made again there either
    }
    return false;
  }

  private void place(int slot, StorePath path, int owner) throws NamespaceException {
    long modifiedMs = inodes.modifiedMs(slot);
    int directory = directories.make(path, modifiedMs);
    tree.place(slot, directory, path.last(), modifiedMs);
    tree.quotas().added(directory, new Usage(0, 0, inodes.length(slot)));
    tree.own(slot, owner, MODE);
    mounted.forgetBelow(slot);
  }

  /**
   * For whom a file is kept that dependencies read: its owner, if he has recorded one of them; else
   * who has recorded the first.
   */
  int owner(int slot) throws NamespaceException {
    long[] readers = graph.consumers(inodes.fid(slot));
    String owner = principals.name(inodes.owner(slot));
    for (long reader : readers) {
      if (graph.find(reader).recipe().owner().equals(owner)) {
        return inodes.owner(slot);
      }
    }
    return principals.number(graph.find(readers[0]).recipe().owner());
  }

  private boolean isKeptName(int slot) {
    return tree.name(slot).equals(Fid.text(inodes.fid(slot)));
  }

  DependencyGraph graph() {
    return graph;
  }

  /** A dependency is kept no more: inputs that no other one reads go, if they are in here. */
  void collected(Dependency dependency) {
    for (Input input : dependency.recipe().inputs()) {
      int slot = input.isOutside() ? InodeTable.NONE : inodes.find(input.fid());
      boolean isOver =
          slot != InodeTable.NONE
              && graph.consumers(input.fid()).length == 0
              && !graph.isOutput(input.fid())
              && isKept(slot);
      if (isOver) {
        tree.detach(slot, inodes.modifiedMs(slot));
        doomed.add(slot);
      }
    }
  }

  private boolean isKept(int slot) {
    return isKeptName(slot)
        && tree.isWithin(slot, InodeTable.ROOT)
        && tree.path(slot).equals(RevivedFiles.path(inodes.fid(slot)));
  }

  /**
   * Gives some of them.
   *
   * @param after where the scan before has ended; empty to begin with
   * @param limit how many files of their directory are looked at, at most
   * @param fids their ids
   * @return where to go on; empty: that was the last one
   */
  public String scan(String after, int limit, LongConsumer fids) {
    int directory = directory();
    int[] slots =
        directory == InodeTable.NONE
            ? new int[0]
            : tree.entries(directory).after(after.getBytes(StandardCharsets.UTF_8), limit);
    for (int slot : slots) {
      long fid = inodes.fid(slot);
      if (isKeptName(slot) && !graph.isOutput(fid)) {
        fids.accept(fid);
      }
    }
    return slots.length < limit ? "" : tree.name(slots[slots.length - 1]);
  }

  private int directory() {
    try {
      int slot = directories.find(StorePath.of(RevivedFiles.DIRECTORY));
      return slot != InodeTable.NONE && inodes.isDirectory(slot) ? slot : InodeTable.NONE;
    } catch (NamespaceException e) {
      return InodeTable.NONE; // a superuser has put something else there
    }
  }
}
