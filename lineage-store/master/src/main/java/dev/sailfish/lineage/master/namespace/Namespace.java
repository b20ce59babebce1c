package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.CopyTable;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The tree. Times come from the caller, in milliseconds since 1970. A method that throws has
 * changed nothing. Not thread-safe.
 */
public final class Namespace {
  /** Whose the root directory is, until someone else is given it. */
  public static final String ROOT_OWNER = "sailfish";

  private static final int ROOT_MODE = 0755;
  private static final int MOUNT_MODE = 0755;

  private final Freeze freeze = new Freeze();
  private final Principals principals = new Principals();
  private final Tree tree = new Tree(freeze, principals);
  private final InodeTable inodes = tree.inodes();
  private final Access access = tree.access();
  private final DependencyGraph graph = new DependencyGraph();
  private final Suspects suspects = new Suspects(inodes, graph);
  private final Blocks blocks = new Blocks(inodes, freeze, suspects);
  private final Writers writers = new Writers();
  private final Doomed doomed = new Doomed(inodes);
  private final Mounts mounts = new Mounts();
  private final MountedTree mounted = new MountedTree(tree, principals, doomed, mounts, suspects);
  private final Renames renames = new Renames(tree, doomed, mounted);
  private final Uses uses = Uses.of(tree, principals, blocks, mounted, writers);
  private final FileWriting writing =
      new FileWriting(tree, principals, blocks, mounted, doomed, writers, suspects);
  private final ClusterDirectories clusters = new ClusterDirectories(tree, principals);
  private final Lineage lineage =
      new Lineage(
          tree,
          blocks,
          mounted,
          graph,
          suspects,
          new Programs(tree, principals, blocks, mounted, uses, writing, clusters),
          new RevivedFiles(tree, principals, doomed, graph, clusters));
  private final KeptInputs kept =
      new KeptInputs(tree, principals, blocks, mounted, doomed, graph, clusters);
  private final KeptCopies keptCopies =
      new KeptCopies(tree, blocks, mounted, uses, doomed, clusters, kept);

  /** Hears of files whose blocks nobody needs any more. */
  @FunctionalInterface
  public interface Freed {
    /**
     * @param fid of a file that is not there any more
     * @param worker lives and has blocks of it
     */
    void on(long fid, int worker);
  }

  private Namespace() {}

  /** A namespace with nothing but its root. */
  public static Namespace empty() {
    Namespace namespace = new Namespace();
    try {
      namespace.tree.plant(namespace.principals.number(ROOT_OWNER), ROOT_MODE);
    } catch (NamespaceException e) {
      throw new IllegalStateException(e);
    }
    return namespace;
  }

  /**
   * Reads a namespace that {@link #freeze} wrote.
   *
   * @throws IOException when that is damaged or of another version
   */
  public static Namespace read(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    Namespace namespace = new Namespace();
    int version = NamespaceImage.readVersion(data);
    boolean isOldest = version == NamespaceImage.OLDEST_VERSION;
    namespace.principals.read(data);
    namespace.writers.read(data);
    if (!isOldest) {
      namespace.writing.reserved().read(data);
    }
    namespace.doomed.read(data);
    namespace.mounts.read(data);
    namespace.uses.read(data);
    namespace.blocks.readHead(data);
    if (!isOldest) {
      namespace.lineage.readHead(data);
    }
    if (version >= NamespaceImage.GROWING_VERSION) {
      namespace.graph.givenUp().read(data);
      namespace.writing.read(data);
      namespace.lineage.readRevived(data);
    }
    CopyTable copies = namespace.blocks.table();
    int count = copies.readHead(data);
    namespace.inodes.read(data);
    copies.readRows(data, count);
    namespace.tree.rebuild();
    namespace.uses.pins().recount();
    if (!isOldest) {
      namespace.lineage.readGraph(
          data,
          version >= NamespaceImage.GROWING_VERSION,
          version >= NamespaceImage.WAITING_VERSION);
    }
    return namespace;
  }

  /** The namespace as it is now, for a snapshot; one at a time. */
  public StateView freeze() {
    freeze.begin();
    return new NamespaceImage(
        freeze,
        inodes.image(),
        blocks.image(),
        graph.image(),
        List.of(
            principals::write,
            writers::write,
            writing.reserved()::write,
            doomed::write,
            mounts::write,
            uses::write,
            blocks::writeHead,
            lineage::writeHead,
            graph.givenUp()::write,
            writing::write,
            lineage::writeRevived));
  }

  /** What is mounted, and what is known of the files below. */
  public MountedTree mounted() {
    return mounted;
  }

  /** Quotas, times to live, pins, and who holds what. */
  public Uses uses() {
    return uses;
  }

  /** How files were made, and which of them are lost. */
  public Lineage lineage() {
    return lineage;
  }

  /** Deleted inputs that are kept for what was made of them. */
  public KeptInputs keptInputs() {
    return kept;
  }

  /** Deleted inputs that are kept below. */
  public KeptCopies keptCopies() {
    return keptCopies;
  }

  /** How late it is by the journal's clock, with the changes that follow. */
  public void at(long journalMs) {
    uses.expiries().at(journalMs);
    graph.at(journalMs);
    lineage.at(journalMs);
  }

  /** How many files and directories there are, those too that are still to be freed. */
  public int size() {
    return tree.size() - writing.reserved().size();
  }

  /** How many copies of blocks there are, some of which may be with workers that are gone. */
  public int copies() {
    return blocks.size();
  }

  /** Files from their beginning until they are complete, or given up. */
  public FileWriting writing() {
    return writing;
  }

  /** Who writes files, for the first time or again; a copy. */
  public Set<Long> writers() {
    Set<Long> all = new HashSet<>(writing.writers());
    all.addAll(lineage.recomputes().writers());
    return all;
  }

  /** Who writes files, for the first time or again, or has ids kept; a copy. */
  public Set<Long> clients() {
    Set<Long> all = writing.clients();
    all.addAll(lineage.recomputes().writers());
    return all;
  }

  /** A client is gone: what it writes goes, and its ids are free. */
  public void clientGone(long client, long nowMs) {
    writing.abandonAll(client, nowMs);
    lineage.recomputes().abandonAll(client);
  }

  /** Makes a directory, and those above it; what is there already stays as it is. */
  public FileInfo makeDirectories(StorePath path, int mode, Caller caller, long nowMs)
      throws NamespaceException {
    Limits.requireMode(mode);
    tree.requireRoom(path.depth());
    int owner = principals.number(caller.user());
    Tree.Spot deepest = tree.deepest(path, caller);
    int depth = deepest.depth();
    int slot = deepest.slot();
    if (!inodes.isDirectory(slot)) {
      Reason reason = depth == path.depth() ? Reason.EXISTS : Reason.NOT_A_DIRECTORY;
      throw new NamespaceException(reason, path.beginning(depth) + " is a file");
    }
    if (depth < path.depth()) {
      tree.require(caller, Access.WRITE, "write in", slot, path.beginning(depth));
    }
    tree.quotas().require(slot, path.depth() - depth, 0);
    for (; depth < path.depth(); depth++) {
      slot = tree.add(slot, Kind.DIRECTORY, path.name(depth), nowMs);
      tree.own(slot, owner, mode);
    }
    return mounted.info(slot);
  }

  /**
   * Ends some files whose time is over by the journal's clock. One that has come under a mount
   * since and is below is freed: deleted here alone, it would come back with the next look there.
   *
   * @param freed told who has blocks of a file that is to leave the workers only
   */
  public void expire(int limit, long nowMs, Freed freed) {
    uses.expiries()
        .expire(
            limit,
            (slot, action) -> {
              if (mounted.isBelow(slot)) {
                blocks.holders(slot).forEach(worker -> freed.on(inodes.fid(slot), worker));
              } else if (action == Expiry.Action.DELETE) {
                tree.detach(slot, nowMs);
                doomed.add(slot);
                writers.remove(slot);
              }
            });
  }

  /**
   * Removes a file or directory.
   *
   * @param recursive whether a directory may have entries; the caller must be permitted to change
   *     each directory below, too
   */
  public void delete(StorePath path, boolean recursive, Caller caller, long nowMs)
      throws NamespaceException {
    int slot = requireDeletable(path, recursive, caller);
    tree.detach(slot, nowMs);
    doomed.add(slot);
  }

  /** Throws what {@link #delete} would, and changes nothing. */
  public void requireRemovable(StorePath path, boolean recursive, Caller caller)
      throws NamespaceException {
    requireDeletable(path, recursive, caller);
  }

  private int requireDeletable(StorePath path, boolean recursive, Caller caller)
      throws NamespaceException {
    int slot = tree.walk(path, caller);
    int directory = inodes.parent(slot);
    if (slot == InodeTable.ROOT) {
      throw new NamespaceException(Reason.INVALID, "the root cannot be removed");
    }
    mounted.requireRemovable(path);
    tree.requireRemovable(caller, directory, slot, path);
    if (inodes.isDirectory(slot) && tree.entries(slot).size() > 0) {
      if (!recursive) {
        throw new NamespaceException(Reason.NOT_EMPTY, path + " is not empty");
      }
      tree.requireRemovableBelow(caller, slot, path);
    }
    return slot;
  }

  /**
   * Moves a file or directory, at once and as a whole.
   *
   * @param replace whether a file may take the place of a file, and a directory that of an empty
   *     one
   * @param below what is below at the new place, if that was moved too; or null
   */
  public void rename(StorePath from, StorePath to, boolean replace, Caller caller, long nowMs)
      throws NamespaceException {
    renames.rename(from, to, replace, caller, nowMs);
  }

  /** Throws what {@link #rename} would, and changes nothing. */
  public void requireRenamable(StorePath from, StorePath to, boolean replace, Caller caller)
      throws NamespaceException {
    renames.require(from, to, replace, caller);
  }

  /** Mounts an under store, as {@link MountedTree#requireMountable} permits it. */
  public FileInfo mount(String text, Caller caller, long nowMs) throws NamespaceException {
    Mount mount = mounted.requireMountable(text, caller);
    FileInfo info = makeDirectories(StorePath.of(mount.path()), MOUNT_MODE, caller, nowMs);
    mounted.add(mount);
    return info;
  }

  /** A file under a mount, wherever it is now; NOT_FOUND also when it is under none. */
  public MountedFile mountedFile(long fid) throws NamespaceException {
    int slot = tree.requireLive(fid);
    return mounted.file(slot, mounted.info(slot));
  }

  /** What is known of a file or directory. */
  public FileInfo stat(StorePath path, Caller caller) throws NamespaceException {
    return mounted.info(tree.walk(path, caller));
  }

  /** What is known of a file or directory, wherever it is now. */
  public FileInfo stat(long fid) throws NamespaceException {
    return mounted.info(tree.requireLive(fid));
  }

  /** Where a file or directory is now. */
  public String path(long fid) throws NamespaceException {
    return tree.path(tree.requireLive(fid));
  }

  /**
   * The entries of a directory, in the order of their names' bytes; of a file, itself.
   *
   * @param after the last name that the caller has already; empty to begin with
   * @param limit how many, at most
   */
  public List<FileInfo> list(StorePath path, String after, int limit, Caller caller)
      throws NamespaceException {
    int slot = tree.walk(path, caller);
    if (!inodes.isDirectory(slot)) {
      return after.isEmpty() ? List.of(mounted.info(slot)) : List.of();
    }
    tree.require(caller, Access.READ, "list", slot, path.toString());
    byte[] name = after.getBytes(StandardCharsets.UTF_8);
    int[] entries = tree.entries(slot).after(name, limit);
    List<FileInfo> infos = new ArrayList<>(entries.length);
    for (int entry : entries) {
      infos.add(mounted.info(entry));
    }
    return infos;
  }

  /** Sets the permissions of what is the caller's own. */
  public void setMode(StorePath path, int mode, Caller caller) throws NamespaceException {
    Limits.requireMode(mode);
    int slot = tree.walk(path, caller);
    tree.requireOwner(caller, slot, path);
    inodes.setMode(slot, mode);
  }

  /**
   * Gives a file or directory to another user or group; an empty name leaves that as it is. Only a
   * superuser gives something away; an owner chooses among groups that it is in.
   */
  public void setOwner(StorePath path, String owner, String group, Caller caller)
      throws NamespaceException {
    int slot = tree.walk(path, caller);
    tree.requireOwner(caller, slot, path);
    boolean isOwn = owner.isEmpty() || owner.equals(principals.name(inodes.owner(slot)));
    boolean isIn = group.isEmpty() || caller.groups().contains(group);
    if (!caller.isSuperuser() && !(isOwn && isIn)) {
      throw access.denied(caller, "give to others", path.toString(), slot);
    }
    int ownerNumber = owner.isEmpty() ? inodes.owner(slot) : principals.number(owner);
    int groupNumber = group.isEmpty() ? inodes.group(slot) : principals.number(group);
    inodes.setOwner(slot, ownerNumber);
    inodes.setGroup(slot, groupNumber);
  }

  /** Sets when a file or directory was modified. */
  public void setModified(StorePath path, long modifiedMs, Caller caller)
      throws NamespaceException {
    Limits.requireInRange("a time", modifiedMs, InodeTable.LAST_MS);
    int slot = tree.walk(path, caller);
    if (!access.isOwner(caller, slot)) {
      tree.require(caller, Access.WRITE, "change the time of", slot, path.toString());
    }
    inodes.setModifiedMs(slot, modifiedMs);
  }

  /**
   * Frees some of what was deleted. To be called with each change, so that all peers free the same
   * at the same time.
   *
   * @param limit how many, at most
   * @param freed told who has blocks that nobody needs any more
   * @return whether there is more
   */
  public boolean sweep(int limit, Freed freed) {
    lineage.sweepRevived(limit);
    doomed.free(
        limit,
        tree::entries,
        slot -> {
          writing.forget(slot);
          uses.forget(slot);
          if (kept.keep(slot)) {
            return false;
          }
          long fid = inodes.fid(slot);
          boolean isDirectory = tree.forget(slot);
          if (!isDirectory) {
            blocks.removeAll(slot, worker -> freed.on(fid, worker));
            lineage.freed(fid);
          }
          return true;
        });
    boolean more = blocks.sweep(limit) | lineage.sweep(limit, kept::collected);
    return more || !doomed.isEmpty();
  }

  // ---- blocks

  /**
   * Takes a worker that has nothing yet.
   *
   * @param id what it calls itself; another one of the same id, or at the same address, is gone
   * @param host where clients find it
   */
  public Worker addWorker(long id, String host, int port) throws NamespaceException {
    Worker worker = blocks.workers().add(id, host, port);
    lineage.workerGone(); // the one whose place it takes
    return worker;
  }

  /** A worker is gone, with all that it has. */
  public void removeWorker(int number) {
    blocks.workers().remove(number);
    lineage.workerGone();
  }

  /** Whether there is a worker of this number. */
  public boolean isLive(int worker) {
    return blocks.workers().isLive(worker);
  }

  /** The workers there are, in the order of their numbers; a copy. */
  public List<Worker> workers() {
    return blocks.workers().live();
  }

  /**
   * A worker says that it has a block.
   *
   * @param place of that worker
   * @return whether anybody needs it; if not, the worker may delete it
   */
  public boolean hold(long fid, int block, int place) {
    int slot = inodes.find(fid);
    int worker = Place.worker(place);
    boolean isKnown = slot != InodeTable.NONE && Limits.isBlock(block) && Place.isValid(place);
    if (!isKnown || !isLive(worker)) {
      return isKnown;
    }
    Lineage.Word word = lineage.word(fid, block, worker, blocks.isWith(slot, block, worker));
    if (word == Lineage.Word.COUNTS) {
      blocks.add(slot, block, place);
    }
    return word != Lineage.Word.WORTHLESS;
  }

  /** A worker says that it has a block no more. */
  public void release(long fid, int block, int worker) {
    int slot = inodes.find(fid);
    if (slot != InodeTable.NONE) {
      blocks.remove(slot, block, worker);
    }
  }

  /** Whether there is such a file, be it deleted and not freed yet. */
  public boolean isKnown(long fid) {
    return inodes.find(fid) != InodeTable.NONE;
  }

  /** Whether nobody needs what a worker that lives has of a file. */
  public boolean isUnneeded(long fid, int worker) {
    return !isKnown(fid) || lineage.recomputes().isLeftOver(fid, worker);
  }

  /** Whether there is such a file, and all of it is below. */
  public boolean isBelow(long fid) {
    int slot = inodes.find(fid);
    return slot != InodeTable.NONE && mounted.isBelow(slot);
  }

  /**
   * What is known of a file whose content the caller wants to read.
   *
   * @throws NamespaceException also when it is not complete
   */
  public FileInfo open(StorePath path, Caller caller) throws NamespaceException {
    int slot = tree.walk(path, caller);
    if (inodes.isDirectory(slot)) {
      throw new NamespaceException(Reason.IS_A_DIRECTORY, path + " is a directory");
    }
    tree.require(caller, Access.READ, "read", slot, path.toString());
    if (inodes.kind(slot) != Kind.COMPLETE) {
      throw new NamespaceException(Reason.NOT_COMPLETE, path + " is being written");
    }
    return mounted.info(slot);
  }

  /**
   * Where blocks of a file are, in their order; one that is nowhere is left out.
   *
   * @param first the first block that is asked for
   * @param limit how many, at most
   */
  public List<BlockCopies> blocks(long fid, int first, int limit) throws NamespaceException {
    return blocks.of(tree.requireLive(fid), first, limit);
  }
}
