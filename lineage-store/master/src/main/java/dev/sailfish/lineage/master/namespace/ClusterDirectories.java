package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.util.Set;

/**
 * Directories below {@code /.lineage}, which are the cluster's and hold files that lineage needs.
 * Nothing is mounted there: a mount above leaves them out.
 */
final class ClusterDirectories {
  /** Where they are. */
  static final String ROOT = "/.lineage";

  /** For whom they are made. */
  static final Caller CLUSTER = new Caller(Namespace.ROOT_OWNER, Set.of(), true);

  /** Others get through them to what is theirs, and do not list them. */
  static final int MODE = 0711;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;

  ClusterDirectories(Tree tree, Principals principals) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
  }

  /** Whether a path is theirs. */
  static boolean has(String path) {
    return path.startsWith(ROOT)
        && (path.length() == ROOT.length() || path.charAt(ROOT.length()) == '/');
  }

  /** Throws unless a file may be in them: nobody else has made them before. */
  void require(StorePath file) throws NamespaceException {
    Tree.Spot deepest = tree.deepest(file, CLUSTER);
    int slot = deepest.slot();
    if (deepest.depth() == file.depth()) {
      slot = inodes.parent(slot);
    } else {
      tree.requireDirectory(slot, file, deepest.depth());
    }
    for (; slot != InodeTable.ROOT; slot = inodes.parent(slot)) {
      String owner = principals.name(inodes.owner(slot));
      if (!owner.equals(Namespace.ROOT_OWNER)) {
        throw new NamespaceException(
            Reason.DENIED,
            "%s is to be the cluster's, and is of %s: move it away, or give it to %s"
                .formatted(tree.path(slot), owner, Namespace.ROOT_OWNER));
      }
    }
  }

  /** A directory becomes the cluster's: one that was seen below before it was made here. */
  void own(int slot) throws NamespaceException {
    tree.own(slot, principals.number(Namespace.ROOT_OWNER), MODE);
  }

  /** What is at a path, or NONE. */
  int find(StorePath path) throws NamespaceException {
    Tree.Spot deepest = tree.deepest(path, CLUSTER);
    return deepest.depth() == path.depth() ? deepest.slot() : InodeTable.NONE;
  }

  /**
   * The directory of a file that {@link #require} permits; made if it is not there.
   *
   * @return its slot
   */
  int make(StorePath file, long nowMs) throws NamespaceException {
    int owner = principals.number(Namespace.ROOT_OWNER);
    Tree.Spot deepest = tree.deepest(file, CLUSTER);
    int slot = deepest.slot();
    for (int depth = deepest.depth(); depth < file.depth() - 1; depth++) {
      slot = tree.add(slot, Kind.DIRECTORY, file.name(depth), nowMs);
      tree.own(slot, owner, MODE);
    }
    return slot;
  }
}
