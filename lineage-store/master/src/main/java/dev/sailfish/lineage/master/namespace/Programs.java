package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;

/**
 * Programs of dependencies, and the files that they need: files of the store, once for each user
 * and content, {@code /.lineage/programs/USER/SHA-256}. The directories are the cluster's; a file
 * is its user's, who may read it and not change it. So nobody has a program of somebody else run.
 *
 * <p>They are pinned, so that copies stay with the workers that have them. A program that no
 * dependency names goes after a day, by the times to live of files.
 */
public final class Programs {
  /** Where they are. */
  public static final String DIRECTORY = ClusterDirectories.ROOT + "/programs";

  /** Where {@link #scan} begins. */
  public static final String FIRST = "";

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final long KEPT_MS = 24 * 3_600_000;
  private static final int FILE_MODE = 0400;
  private static final int BLOCK_SIZE_LOG = 24;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final Uses uses;
  private final FileWriting writing;
  private final ClusterDirectories directories;

  /** By path: how many dependencies name it. */
  private final NavigableMap<String, Integer> named = new TreeMap<>();

  Programs(
      Tree tree,
      Principals principals,
      Blocks blocks,
      MountedTree mounted,
      Uses uses,
      FileWriting writing,
      ClusterDirectories directories) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
    this.blocks = blocks;
    this.mounted = mounted;
    this.uses = uses;
    this.writing = writing;
    this.directories = directories;
  }

  /** Where a program is. */
  public static String path(String user, String hash) {
    return DIRECTORY + "/" + user + "/" + hash;
  }

  /**
   * Begins the file of a program. One that is there already is only kept for longer. One that is
   * being written is begun anew, and the other writer finds it gone; so is one of which a block is
   * with no worker that lives, as its bytes are at hand now.
   *
   * @param hash of its bytes, as {@link Program} has it
   * @param writer the client that writes it
   * @return what is known of it; complete if it was there
   */
  public FileInfo prepare(String hash, long writer, Caller caller, long nowMs)
      throws NamespaceException {
    if (!HASH.matcher(hash).matches()) {
      throw new NamespaceException(
          Reason.INVALID, "a program is named by its SHA-256, 32 bytes, not '" + hash + "'");
    }
    StorePath path = StorePath.of(path(caller.user(), hash));
    directories.require(path);
    int there = directories.find(path);
    FileInfo info;
    boolean isThere =
        there != InodeTable.NONE && inodes.kind(there) == Kind.COMPLETE && blocks.isWhole(there);
    if (isThere) {
      info = mounted.info(there);
    } else {
      Creation creation =
          new Creation(FILE_MODE, ClusterDirectories.MODE, BLOCK_SIZE_LOG, true, writer);
      int owner = principals.number(caller.user());
      info = writing.create(path, creation, ClusterDirectories.CLUSTER, nowMs);
      tree.own(inodes.find(info.fid()), owner, FILE_MODE);
      info = mounted.info(inodes.find(info.fid()));
      uses.pins().set(StorePath.of(DIRECTORY), true, ClusterDirectories.CLUSTER);
    }
    if (!named.containsKey(path.toString())) {
      uses.expiries().set(path, KEPT_MS, Expiry.Action.DELETE, ClusterDirectories.CLUSTER);
    }
    return info;
  }

  /**
   * Throws unless all programs of a dependency are there and complete.
   *
   * @param recipe of the dependency
   */
  void require(Dependency.Recipe recipe) throws NamespaceException {
    for (Program program : recipe.programs()) {
      boolean isHash = HASH.matcher(program.hash()).matches();
      int slot =
          isHash
              ? directories.find(StorePath.of(path(recipe.owner(), program.hash())))
              : InodeTable.NONE;
      if (slot == InodeTable.NONE || inodes.kind(slot) != Kind.COMPLETE) {
        throw new NamespaceException(
            Reason.NOT_FOUND,
            "program '%s' (SHA-256 %s) of %s is not in the store: upload it first"
                .formatted(program.name(), program.hash(), recipe.owner()));
      }
    }
  }

  /** A dependency names its programs: they stay. */
  void add(Dependency.Recipe recipe) {
    for (Program program : recipe.programs()) {
      String path = path(recipe.owner(), program.hash());
      if (named.merge(path, 1, Integer::sum) == 1) {
        keep(path, 0);
      }
    }
  }

  /** The same for one that was read, whose programs stay already. */
  void restore(Dependency.Recipe recipe) {
    for (Program program : recipe.programs()) {
      named.merge(path(recipe.owner(), program.hash()), 1, Integer::sum);
    }
  }

  /** A dependency is gone. */
  void remove(Dependency dependency) {
    Dependency.Recipe recipe = dependency.recipe();
    for (Program program : recipe.programs()) {
      String path = path(recipe.owner(), program.hash());
      if (named.merge(path, -1, Integer::sum) == 0) {
        named.remove(path);
        keep(path, KEPT_MS);
      }
    }
  }

  /**
   * Gives the files of some programs that dependencies name.
   *
   * @param after where the scan before has ended, or {@link #FIRST}
   * @param limit how many, at most
   * @param fids their ids
   * @return where to go on; {@link #FIRST}: that was the last one
   */
  public String scan(String after, int limit, LongConsumer fids) {
    String last = after;
    int count = 0;
    for (String path : named.tailMap(after, false).keySet()) {
      if (count == limit) {
        return last;
      }
      count++;
      last = path;
      int slot = find(path);
      if (slot != InodeTable.NONE) {
        fids.accept(inodes.fid(slot));
      }
    }
    return FIRST;
  }

  private int find(String path) {
    try {
      return directories.find(StorePath.of(path));
    } catch (NamespaceException e) {
      return InodeTable.NONE; // a superuser has put something else there
    }
  }

  private void keep(String text, long forMs) {
    try {
      StorePath path = StorePath.of(text);
      if (directories.find(path) != InodeTable.NONE) {
        uses.expiries().set(path, forMs, Expiry.Action.DELETE, ClusterDirectories.CLUSTER);
      }
    } catch (NamespaceException e) {
      // Too many files have a time already: the file stays, and an operator may delete it.
      named.remove(text, 0);
    }
  }
}
