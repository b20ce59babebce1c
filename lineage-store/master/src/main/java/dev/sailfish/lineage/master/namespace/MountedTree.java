package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is mounted, and what the tree knows of the files below. It is kept as the leader sees it
 * below; nothing here looks there itself. A method that throws has changed nothing.
 *
 * <p>A file below is a file of the tree like all others, complete, and in blocks that no worker has
 * until they are loaded. When the content below changes, the tree gets another file of that name.
 */
public final class MountedTree {
  private static final Caller ANYTHING = new Caller(Namespace.ROOT_OWNER, Set.of(), true);
  private static final byte[] FIRST = {};
  private static final int[] NOTHING = {};
  private static final int LIST = Access.READ | Access.EXECUTE;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;
  private final Doomed doomed;
  private final Mounts mounts;
  private final Suspects suspects;

  MountedTree(Tree tree, Principals principals, Doomed doomed, Mounts mounts, Suspects suspects) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
    this.doomed = doomed;
    this.mounts = mounts;
    this.suspects = suspects;
  }

  /** All mounts, in the order of their paths. */
  public List<Mount> mounts() {
    return mounts.all();
  }

  /** Where a path is below; empty when nothing is mounted at it or above. */
  public Optional<MountedPath> find(StorePath path) throws NamespaceException {
    return mounts.find(path.toString());
  }

  /** What is known below a slot, or null. */
  Below below(int slot) {
    return Below.decode(inodes.note(slot));
  }

  private void setBelow(int slot, Below below) {
    inodes.setNote(slot, below == null ? null : below.encode());
    suspects.add(slot);
  }

  // ---- mounts

  /**
   * Reads a mount, and checks that it can be added.
   *
   * @param text as {@link Mount#parse} reads it
   */
  public Mount requireMountable(String text, Caller caller) throws NamespaceException {
    requireSuperuser(caller, "mount");
    Mount mount = mounts.requireMountable(text);
    StorePath path = StorePath.of(mount.path());
    Tree.Spot spot = tree.deepest(path, ANYTHING);
    if (!inodes.isDirectory(spot.slot())) {
      throw new NamespaceException(
          Reason.NOT_A_DIRECTORY, path.beginning(spot.depth()) + " is a file");
    }
    return mount;
  }

  private static void requireSuperuser(Caller caller, String what) throws NamespaceException {
    if (!caller.isSuperuser()) {
      throw new NamespaceException(Reason.DENIED, caller.user() + " may not " + what);
    }
  }

  /** Adds a mount; its path must be a directory. */
  void add(Mount mount) throws NamespaceException {
    setBelow(tree.walk(StorePath.of(mount.path()), ANYTHING), Below.DIRECTORY);
    mounts.add(mount);
  }

  /**
   * Takes a mount away. What is under its path goes out of the tree; below, all stays.
   *
   * @param force whether files may go that are not below
   */
  public void remove(StorePath path, boolean force, Caller caller, long nowMs)
      throws NamespaceException {
    requireSuperuser(caller, "unmount");
    String within = path.depth() == 0 ? "/" : path + "/";
    for (Mount mount : mounts()) {
      if (mount.path().startsWith(within) && !mount.path().equals(path.toString())) {
        throw new NamespaceException(Reason.NOT_EMPTY, "unmount " + mount + " first");
      }
    }
    mounts.require(path.toString());
    int root = tree.walk(path, ANYTHING);
    if (!force) {
      requireAllBelow(root);
    }
    mounts.remove(path.toString());
    setBelow(root, null);
    for (int slot : entriesBelow(root)) {
      drop(slot, nowMs);
    }
  }

  private void requireAllBelow(int root) throws NamespaceException {
    List<Integer> open = new ArrayList<>(List.of(root));
    while (!open.isEmpty()) {
      for (int slot : entriesBelow(open.remove(open.size() - 1))) {
        if (inodes.isDirectory(slot)) {
          open.add(slot);
        } else if (!isCopied(slot)) {
          throw new NamespaceException(
              Reason.NOT_EMPTY,
              tree.path(slot) + " is not below: copy or remove it first, or unmount with force");
        }
      }
    }
  }

  /** What belongs to the mount of a directory. */
  private int[] entriesBelow(int directory) {
    int[] all = entries(directory);
    return directory == InodeTable.ROOT
        ? Arrays.stream(all).filter(slot -> !ClusterDirectories.has(tree.path(slot))).toArray()
        : all;
  }

  /** What is in a directory; nothing for a file. */
  private int[] entries(int slot) {
    Directory entries = tree.entries(slot);
    return entries == null ? NOTHING : entries.after(FIRST, entries.size());
  }

  private boolean isCopied(int slot) {
    Below below = below(slot);
    return below != null && below.isCopy();
  }

  private void drop(int slot, long nowMs) {
    tree.detach(slot, nowMs);
    doomed.add(slot);
  }

  // ---- what the leader asks before it looks below

  /**
   * What the tree has at a path, to be kept with what is seen below.
   *
   * @param found null: nothing was found
   */
  public Sighting sighting(StorePath path, Sighting.Found found) {
    int slot = find(path.depth(), path);
    long fid = slot == InodeTable.NONE ? 0 : inodes.fid(slot);
    return new Sighting(path, fid, slot == InodeTable.NONE ? null : below(slot), found);
  }

  private int find(int depth, StorePath path) {
    try {
      Tree.Spot spot = tree.deepest(path, ANYTHING);
      return spot.depth() >= depth ? spot.slot() : InodeTable.NONE;
    } catch (NamespaceException e) {
      throw new IllegalStateException("everything is permitted", e);
    }
  }

  /** How many of a path's names are there, from its beginning. */
  public int knownDepth(StorePath path) throws NamespaceException {
    return tree.deepest(path, ANYTHING).depth();
  }

  /** Whether something is mounted in a directory that is not the root, at any depth. */
  public boolean hasMountsIn(StorePath directory) {
    return mounts.areIn(directory.toString());
  }

  /** Whether a path is a directory of the tree. */
  public boolean isDirectory(StorePath path) {
    int slot = find(path.depth(), path);
    return slot != InodeTable.NONE && inodes.isDirectory(slot);
  }

  /** What is known below a path: nothing when there is nothing, here or below. */
  public Optional<Below> below(StorePath path) {
    int slot = find(path.depth(), path);
    return slot == InodeTable.NONE ? Optional.empty() : Optional.ofNullable(below(slot));
  }

  /**
   * Names of a directory that the tree takes for files or directories below, in order.
   *
   * @param after the last one that the caller has already; empty to begin with
   * @param limit how many entries are looked at
   * @return none when all were looked at
   */
  public List<Named> namesBelow(StorePath directory, String after, int limit) {
    int root = find(directory.depth(), directory);
    List<Named> names = new ArrayList<>();
    if (root != InodeTable.NONE && inodes.isDirectory(root)) {
      for (int slot : tree.entries(root).after(after.getBytes(StandardCharsets.UTF_8), limit)) {
        Below below = below(slot);
        boolean isThere = below != null && !below.isReplaced();
        names.add(new Named(tree.name(slot), isThere));
      }
    }
    return names;
  }

  /**
   * An entry of a directory.
   *
   * @param isBelow whether it is below, too
   */
  public record Named(String name, boolean isBelow) {}

  /** A file, and where it is below; NOT_FOUND also when nothing is mounted there. */
  MountedFile file(int slot, FileInfo info) throws NamespaceException {
    String path = tree.path(slot);
    MountedPath under =
        mounts
            .find(path)
            .orElseThrow(
                () ->
                    new NamespaceException(
                        Reason.NOT_FOUND, "nothing is mounted at or above " + path));
    return new MountedFile(info, path, under, below(slot));
  }

  /** How many files may go out of memory at a time. */
  public static final int MOST_FREED = 100_000;

  /**
   * Files whose blocks may go, and how many others there are.
   *
   * @param fids that are below
   * @param kept of files that are not, or that are not the caller's to free; a directory that he
   *     may not list counts as one
   */
  public record Freeable(List<Long> fids, long kept) {}

  /**
   * What can be freed of a file, or of all files in a directory and below it.
   *
   * @throws NamespaceException INVALID: there are too many
   */
  public Freeable freeable(StorePath path, Caller caller) throws NamespaceException {
    List<Integer> open = new ArrayList<>(List.of(tree.walk(path, caller)));
    List<Long> fids = new ArrayList<>();
    long kept = 0;
    while (!open.isEmpty()) {
      int slot = open.remove(open.size() - 1);
      if (inodes.isDirectory(slot) && tree.access().permits(caller, slot, LIST)) {
        for (int entry : entries(slot)) {
          open.add(entry);
        }
      } else if (isBelow(slot) && tree.access().permits(caller, slot, Access.WRITE)) {
        fids.add(inodes.fid(slot));
      } else {
        kept++;
      }
      if (fids.size() + kept > MOST_FREED) {
        throw new NamespaceException(
            Reason.INVALID,
            path + " has more than " + MOST_FREED + " files: free its directories one by one");
      }
    }
    return new Freeable(fids, kept);
  }

  /**
   * A file is to be written below.
   *
   * @throws NamespaceException INVALID: nothing is mounted there; DENIED: what is, is read-only
   */
  public void requireWritable(StorePath path) throws NamespaceException {
    Optional<MountedPath> under = find(path);
    if (under.isEmpty()) {
      throw new NamespaceException(
          Reason.INVALID, "nothing is mounted at or above " + path + ": it is only in memory");
    }
    if (under.get().mount().get(MountKey.READ_ONLY)) {
      throw new NamespaceException(
          Reason.DENIED, path + " cannot be written below: " + under.get().mount());
    }
  }

  // ---- what was seen, and what was made

  /** Takes what was seen below into the tree, if the tree has not changed there meanwhile. */
  public void take(Sighting sighting, long nowMs) throws NamespaceException {
    StorePath path = sighting.path();
    Optional<MountedPath> under = find(path);
    if (under.isEmpty() || under.get().path().isRoot()) {
      return; // a mount's directory is there, whatever is below
    }
    int parent = find(path.depth() - 1, path.beginningPath(path.depth() - 1));
    if (parent == InodeTable.NONE || !inodes.isDirectory(parent)) {
      return;
    }
    int slot = find(path.depth(), path);
    long fid = slot == InodeTable.NONE ? 0 : inodes.fid(slot);
    Below known = slot == InodeTable.NONE ? null : below(slot);
    boolean isAsBefore = fid == sighting.fid() && isSame(known, sighting.known());
    if (!isAsBefore) {
      return;
    }
    if (slot == InodeTable.NONE) {
      appear(parent, path, sighting.found(), nowMs);
    } else if (sighting.found() == null) {
      vanish(slot, nowMs);
    } else {
      become(slot, path, sighting.found(), nowMs);
    }
  }

  private static boolean isSame(Below one, Below other) {
    return one == null ? other == null : one.equals(other);
  }

  private void appear(int parent, StorePath path, Sighting.Found found, long nowMs)
      throws NamespaceException {
    if (found == null) {
      return;
    }
    Below file = found.file();
    int owner = principals.number(found.owner());
    int group = principals.number(found.group());
    Kind kind = file.isDirectory() ? Kind.DIRECTORY : Kind.COMPLETE;
    int slot = tree.add(parent, kind, path.last(), nowMs);
    tree.own(slot, owner, found.mode() & Limits.LAST_MODE);
    inodes.setGroup(slot, group);
    inodes.setModifiedMs(slot, Math.max(0, Math.min(InodeTable.LAST_MS, file.modifiedMs())));
    inodes.setBlockSizeLog(slot, file.isDirectory() ? 0 : found.blockSizeLog());
    if (!file.isDirectory()) {
      tree.complete(slot, file.length());
    }
    setBelow(slot, file);
    markAbove(slot);
  }

  /** It is below no more. What was never there stays. */
  private void vanish(int slot, long nowMs) {
    Below below = below(slot);
    if (below == null) {
      return;
    }
    if (below.isCopy()) {
      drop(slot, nowMs);
      return;
    }
    setBelow(slot, null);
    if (below.isDirectory()) {
      for (int entry : entries(slot)) {
        vanish(entry, nowMs);
      }
      if (tree.entries(slot).size() == 0) {
        drop(slot, nowMs);
      }
    }
  }

  /** Something is below where the tree has something. */
  private void become(int slot, StorePath path, Sighting.Found found, long nowMs)
      throws NamespaceException {
    Below known = below(slot);
    boolean isDirectory = inodes.isDirectory(slot);
    if (isDirectory && found.file().isDirectory()) {
      setBelow(slot, Below.DIRECTORY);
      return;
    }
    boolean isOfBelow = known != null && (known.isDirectory() || known.isCopy());
    if (!isOfBelow || (known.isCopy() && known.isSameContent(found.file()))) {
      return; // only here so far: a copy of it will be refused
    }
    int parent = inodes.parent(slot);
    principals.number(found.owner());
    principals.number(found.group());
    vanish(slot, nowMs);
    if (tree.entries(parent).find(path.last()) == InodeTable.NONE) {
      appear(parent, path, found, nowMs);
    }
  }

  /**
   * A worker has made a copy of a file, at the place below of a path.
   *
   * @param path where the file was when the copy was begun
   */
  public void record(long fid, StorePath path, Below copy) throws NamespaceException {
    int slot = tree.requireLive(fid);
    if (!tree.path(slot).equals(path.toString())) {
      throw new NamespaceException(
          Reason.NOT_FOUND, path + " is at " + tree.path(slot) + " now: copy it again");
    }
    boolean isComplete = inodes.kind(slot) == Kind.COMPLETE;
    if (inodes.isDirectory(slot) || (isComplete && inodes.length(slot) != copy.length())) {
      throw new NamespaceException(
          Reason.INVALID,
          "%s has %d bytes, and not a copy of %d"
              .formatted(path, inodes.length(slot), copy.length()));
    }
    if (find(path).isEmpty()) {
      throw new NamespaceException(Reason.NOT_FOUND, "nothing is mounted at or above " + path);
    }
    setBelow(slot, copy);
    markAbove(slot);
  }

  /** The directories above are below, too. */
  private void markAbove(int slot) {
    int at = inodes.parent(slot);
    while (at != InodeTable.NONE && inodes.note(at) == null) {
      setBelow(at, Below.DIRECTORY);
      at = inodes.parent(at);
    }
  }

  // ---- for changes of the tree

  /** A new file has taken the place of another one, or the place of none. */
  void replaced(int slot, int former) {
    Below below = former == InodeTable.NONE ? null : below(former);
    if (below != null && !below.isDirectory()) {
      setBelow(slot, below.replaced());
    }
  }

  /**
   * A file is to be complete: if its writer has made a copy below, that has all of it.
   *
   * @param length in bytes
   */
  void requireWholeCopy(int slot, long length) throws NamespaceException {
    if (isBelow(slot) && below(slot).length() != length) {
      throw new NamespaceException(
          Reason.INVALID,
          "%s was copied below with %d bytes, and cannot be complete with %d: write it again"
              .formatted(tree.path(slot), below(slot).length(), length));
    }
  }

  /** Whether all of a file is below. */
  boolean isBelow(int slot) {
    return !inodes.isDirectory(slot) && isCopied(slot);
  }

  /** A file is under no mount any more, and what is or was below is none of its copies. */
  void forgetBelow(int slot) {
    setBelow(slot, null);
  }

  /** Something is to go. */
  void requireRemovable(StorePath path) throws NamespaceException {
    mounts.requireNoneIn(path.toString(), "removed");
  }

  /** Something is to be moved: within one mount, or outside of all of them. */
  void requireMovable(StorePath from, StorePath to) throws NamespaceException {
    if (mounts.isEmpty()) {
      return;
    }
    mounts.requireNoneIn(from.toString(), "moved");
    mounts.requireNoneIn(to.toString(), "replaced");
    Optional<Mount> source = find(from).map(MountedPath::mount);
    Optional<Mount> target = find(to).map(MountedPath::mount);
    if (!source.equals(target)) {
      throw new NamespaceException(
          Reason.INVALID,
          "%s cannot be moved to %s: they are in different file systems below; copy it"
              .formatted(from, to));
    }
  }

  /**
   * Something was moved.
   *
   * @param slot what was moved, and is at its new place
   * @param former what it has taken the place of, or {@link InodeTable#NONE}
   */
  void moved(int slot, int former) {
    Below below = below(slot);
    if (below == null || below.isReplaced()) {
      setBelow(slot, null);
      replaced(slot, former);
    } else {
      markAbove(slot);
    }
  }

  /**
   * A file's copy was moved below, and may look different there.
   *
   * @param path where it is now
   */
  public void movedBelow(StorePath path, Below now) {
    int slot = find(path.depth(), path);
    if (slot != InodeTable.NONE && isBelow(slot)) {
      Below former = below(slot);
      setBelow(
          slot,
          new Below(false, now.length(), now.modifiedMs(), now.tag(), former.crc32c(), false));
    }
  }

  /** What is known of a file or directory. */
  FileInfo info(int slot) {
    boolean isDirectory = inodes.isDirectory(slot);
    return new FileInfo(
        inodes.fid(slot),
        tree.name(slot),
        isDirectory,
        inodes.kind(slot) == Kind.COMPLETE,
        inodes.length(slot),
        isDirectory ? 0 : 1L << inodes.blockSizeLog(slot),
        inodes.modifiedMs(slot),
        principals.name(inodes.owner(slot)),
        principals.name(inodes.group(slot)),
        inodes.mode(slot),
        isBelow(slot));
  }
}
