package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Ancestry;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Files that were deleted and are made again, because something that is lost is made of them: under
 * the ids that they had, and out of sight, {@code /.lineage/deleted/FID}. The directory is the
 * cluster's; a file is of who has recorded how it is made, who may read it and not change it. It
 * has a slot of its own, and goes by itself when nothing that is lost needs it any more.
 */
final class RevivedFiles {
  /** Where they are. */
  static final String DIRECTORY = ClusterDirectories.ROOT + "/deleted";

  private static final int MODE = 0400;

  /** One whose need is not clear after so many descendants counts as needed. */
  private static final int MOST_DESCENDANTS = 100_000;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;
  private final Doomed doomed;
  private final DependencyGraph graph;
  private final ClusterDirectories directories;
  private final NavigableSet<Long> fids = new TreeSet<>();

  // Looks at all of them, bit by bit and in turns, after something has changed.
  private long after;
  private int left;

  RevivedFiles(
      Tree tree,
      Principals principals,
      Doomed doomed,
      DependencyGraph graph,
      ClusterDirectories directories) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
    this.doomed = doomed;
    this.graph = graph;
    this.directories = directories;
  }

  /** Where a file is while it is made again. */
  static String path(long fid) {
    return DIRECTORY + "/" + Fid.text(fid);
  }

  /**
   * A deleted output is going to be written again: there is a file under its id from now on.
   *
   * @param at which output of the dependency
   * @return the slot of the file
   * @throws NamespaceException also when nothing that is lost needs it
   */
  int begin(Dependency dependency, int at, long nowMs) throws NamespaceException {
    long fid = dependency.fid(at);
    if (!isNeeded(fid)) {
      throw new NamespaceException(
          Reason.INVALID,
          "fid=%s was deleted, and nothing that is lost is made of it: it is not to be made again"
              .formatted(Fid.text(fid)));
    }
    int slot = inodes.find(fid);
    return slot == InodeTable.NONE ? make(dependency, at, nowMs) : tree.requireLive(fid);
  }

  private int make(Dependency dependency, int at, long nowMs) throws NamespaceException {
    long fid = dependency.fid(at);
    StorePath path = StorePath.of(path(fid));
    if (dependency.blockSizeLog(at) == 0) {
      throw new NamespaceException(
          Reason.INVALID,
          "fid=%s was deleted before block sizes were kept, and cannot be made again"
              .formatted(Fid.text(fid)));
    }
    directories.require(path);
    if (directories.find(path) != InodeTable.NONE) {
      throw new NamespaceException(Reason.EXISTS, path + " is another file: move it away");
    }
    tree.requireRoom(path.depth());
    int owner = principals.number(dependency.recipe().owner());
    int directory = directories.make(path, nowMs);
    int slot = tree.reserve(owner);
    inodes.adopt(slot, fid);
    tree.place(slot, directory, path.last(), nowMs);
    tree.own(slot, owner, MODE);
    inodes.setBlockSizeLog(slot, dependency.blockSizeLog(at));
    fids.add(fid);
    graph.move(fid, OutputState.REVIVING);
    return slot;
  }

  private boolean isNeeded(long fid) {
    return graph.lostDescendant(fid, MOST_DESCENDANTS) != Ancestry.NOT_FOUND;
  }

  /** All of a file is there again. */
  void complete(int slot, Content content) {
    if (inodes.kind(slot) == Kind.WRITING) {
      tree.complete(slot, content.length());
      content.checksum().ifPresent(sum -> inodes.setChecksum(slot, sum));
    }
    graph.move(inodes.fid(slot), OutputState.REVIVED);
  }

  /**
   * Something is lost no more, or how one of these is made is kept no more: some may have to go.
   */
  void lookAgain() {
    left = fids.size();
  }

  /** Whether some are to be looked at. */
  boolean isLooking() {
    return left > 0;
  }

  /**
   * Deletes some that nothing needs any more. To be called with each change, before what was
   * deleted is freed.
   *
   * @param limit how many are looked at, at most
   * @param dropped told what goes
   */
  void sweep(int limit, LongConsumer dropped) {
    left = Math.min(left, fids.size());
    for (int i = 0; i < limit && left > 0; i++) {
      left--;
      Long next = fids.higher(after);
      after = next == null ? fids.first() : next;
      int slot = inodes.find(after);
      boolean isKept = graph.isOutput(after) && isNeeded(after);
      if (!isKept && tree.isWithin(slot, InodeTable.ROOT)) {
        drop(slot);
        dropped.accept(after);
      }
    }
  }

  private void drop(int slot) {
    long fid = inodes.fid(slot);
    if (graph.isOutput(fid)) {
      graph.delete(fid, inodes.blockSizeLog(slot));
    }
    tree.detach(slot, inodes.modifiedMs(inodes.parent(slot)));
    doomed.add(slot);
  }

  /** The file is there no more. */
  void freed(long fid) {
    fids.remove(fid);
  }

  /** Writes { last looked at:8 to be looked at:4 files:4 { fid:8 slot:4 } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeLong(after);
    out.writeInt(left);
    out.writeInt(fids.size());
    for (long fid : fids) {
      out.writeLong(fid);
      out.writeInt(inodes.find(fid));
    }
  }

  /** Reads them, and has their slots have their ids. */
  void read(DataInputStream in) throws IOException {
    after = in.readLong();
    left = in.readInt();
    for (int count = in.readInt(); count > 0; count--) {
      long fid = in.readLong();
      fids.add(fid);
      inodes.adopt(in.readInt(), fid);
    }
  }
}
