package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Files from their beginning until they are complete, or given up. A client may have ids kept for
 * files that it is going to write: such a file is begun and completed in one change, or begun under
 * that id and completed later. A method that throws has changed nothing.
 */
public final class FileWriting {
  /** In place of an id: the file gets a new one. */
  public static final long NEW_ID = 0;

  /** How many ids are kept for one client, at most. */
  public static final int MOST_RESERVED = 64;

  private final Tree tree;
  private final InodeTable inodes;
  private final Principals principals;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final Doomed doomed;
  private final Writers writers;
  private final Suspects suspects;
  private final Writers reserved = new Writers();
  private boolean synchronous;

  FileWriting(
      Tree tree,
      Principals principals,
      Blocks blocks,
      MountedTree mounted,
      Doomed doomed,
      Writers writers,
      Suspects suspects) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.principals = principals;
    this.blocks = blocks;
    this.mounted = mounted;
    this.doomed = doomed;
    this.writers = writers;
    this.suspects = suspects;
  }

  /** How many files are being written. */
  public int size() {
    return writers.size();
  }

  /** Who writes files; a copy. */
  public Set<Long> writers() {
    return writers.all();
  }

  /** Who writes files, or has ids kept; a copy. */
  public Set<Long> clients() {
    Set<Long> all = new HashSet<>(writers.all());
    all.addAll(reserved.all());
    return all;
  }

  /** For whom ids are kept, by slot. */
  Writers reserved() {
    return reserved;
  }

  /** The slot is about to be free. */
  void forget(int slot) {
    writers.remove(slot);
    reserved.remove(slot);
  }

  // ---- where the bytes of new files go

  /**
   * Whether new files are written through where a file system is mounted, whatever is asked for.
   */
  public boolean isSynchronous() {
    return synchronous;
  }

  /** Has new files written through where a file system is mounted, or no more; for superusers. */
  public void setSynchronous(boolean on, Caller caller) throws NamespaceException {
    if (!caller.isSuperuser()) {
      throw new NamespaceException(
          Reason.DENIED,
          "only superusers have all files written through, not user='%s'".formatted(caller.user()));
    }
    synchronous = on;
  }

  /** Writes { synchronous:1 }. */
  void write(DataOutputStream out) throws IOException {
    out.writeBoolean(synchronous);
  }

  void read(DataInputStream in) throws IOException {
    synchronous = in.readBoolean();
  }

  // ---- ids that are kept

  /**
   * Keeps ids for files that a client is going to write.
   *
   * @param count how many more; the client gets fewer when it has many already
   */
  public List<Long> reserve(long client, int count, Caller caller) throws NamespaceException {
    int room = MOST_RESERVED - reserved.of(client).size();
    int kept = Math.max(0, Math.min(count, room));
    tree.requireRoom(kept);
    int owner = principals.number(caller.user());
    List<Long> fids = new ArrayList<>(kept);
    for (int i = 0; i < kept; i++) {
      int slot = tree.reserve(owner);
      reserved.add(slot, client);
      fids.add(inodes.fid(slot));
    }
    return fids;
  }

  private boolean isReserved(long fid, long client) {
    int slot = inodes.find(fid);
    return slot != InodeTable.NONE && reserved.isWriter(slot, client);
  }

  private void requireReserved(long fid, long client) throws NamespaceException {
    if (!isReserved(fid, client)) {
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "fid=%s is not kept for client %016x".formatted(Fid.text(fid), client));
    }
  }

  /**
   * Throws unless an id is that of a file of this writer that is not complete: one that it writes,
   * or is going to.
   *
   * @param fid the id, or {@link #NEW_ID}
   */
  public void requireOpen(long fid, long writer) throws NamespaceException {
    if (fid != NEW_ID && !isReserved(fid, writer)) {
      requireWriter(tree.requireLive(fid), writer);
    }
  }

  // ---- the beginning

  /**
   * Begins a file: it is there, and nobody reads it until it is complete.
   *
   * @return what is known of it; its id is new, also when it replaces another file
   */
  public FileInfo create(StorePath path, Creation creation, Caller caller, long nowMs)
      throws NamespaceException {
    return create(path, creation, NEW_ID, caller, nowMs);
  }

  /**
   * Begins a file under an id that is kept for its writer.
   *
   * @param fid the id, or {@link #NEW_ID}
   */
  public FileInfo create(StorePath path, Creation creation, long fid, Caller caller, long nowMs)
      throws NamespaceException {
    if (fid != NEW_ID) {
      requireReserved(fid, creation.writer());
    }
    Spot spot = require(path, creation, caller);
    if (!spot.isThere) {
      tree.quotas().require(spot.directory, path.depth() - spot.depth, 1);
    }
    int owner = principals.number(caller.user());
    return mounted.info(begin(path, creation, fid, spot, owner, nowMs));
  }

  /** Throws what {@link #create} would, and changes nothing. */
  public void requireCreatable(StorePath path, Creation creation, Caller caller)
      throws NamespaceException {
    require(path, creation, caller);
  }

  /**
   * Looks whether a file can be begun under an id without a change in the journal: it takes the
   * place of nothing, no directory is made for it, and it is under no mount. Changes nothing.
   *
   * @return whether it can; if not, it has to be begun by a change
   * @throws NamespaceException as {@link #create} does
   */
  public boolean isSimple(StorePath path, Creation creation, long fid, Caller caller)
      throws NamespaceException {
    requireReserved(fid, creation.writer());
    Spot spot = require(path, creation, caller);
    tree.quotas().require(spot.directory, spot.isThere ? 0 : path.depth() - spot.depth, 1);
    return !spot.isThere && spot.depth == path.depth() - 1 && mounted.find(path).isEmpty();
  }

  /**
   * Where a file is to be.
   *
   * @param directory the last one that is there
   * @param depth names in that
   * @param slot of the file whose place it takes, if there is one
   */
  private record Spot(int directory, int depth, int slot, boolean isThere) {}

  private Spot require(StorePath path, Creation creation, Caller caller) throws NamespaceException {
    Limits.requireValid(creation);
    tree.requireRoom(path.depth());
    Tree.Spot deepest = tree.deepest(path, caller);
    int depth = deepest.depth();
    int slot = deepest.slot();
    int above = path.depth() - 1;
    boolean isThere = depth == path.depth();
    if (isThere && inodes.isDirectory(slot)) {
      throw new NamespaceException(Reason.IS_A_DIRECTORY, path + " is a directory");
    }
    if (isThere && !creation.replace()) {
      throw new NamespaceException(Reason.EXISTS, path + " is there already");
    }
    int directory = isThere ? inodes.parent(slot) : slot;
    tree.requireDirectory(directory, path, Math.min(depth, above));
    if (depth < above && creation.parentMode() == Creation.NO_PARENTS) {
      throw Tree.notFound(path.beginning(depth + 1));
    }
    if (isThere) {
      tree.requireRemovable(caller, directory, slot, path);
    } else {
      tree.require(caller, Access.WRITE, "write in", directory, path.beginning(depth));
    }
    return new Spot(directory, Math.min(depth, above), slot, isThere);
  }

  private int begin(StorePath path, Creation creation, long fid, Spot spot, int owner, long nowMs) {
    if (spot.isThere) {
      tree.detach(spot.slot, nowMs);
      doomed.add(spot.slot);
    }
    int directory = spot.directory;
    for (int depth = spot.depth; depth < path.depth() - 1; depth++) {
      directory = tree.add(directory, Kind.DIRECTORY, path.name(depth), nowMs);
      tree.own(directory, owner, creation.parentMode());
    }
    int file;
    if (fid == NEW_ID) {
      file = tree.add(directory, Kind.WRITING, path.last(), nowMs);
    } else {
      file = inodes.find(fid);
      reserved.remove(file);
      tree.place(file, directory, path.last(), nowMs);
    }
    tree.own(file, owner, creation.mode());
    inodes.setBlockSizeLog(file, creation.blockSizeLog());
    mounted.replaced(file, spot.isThere ? spot.slot : InodeTable.NONE);
    writers.add(file, creation.writer());
    return file;
  }

  /**
   * Begins a file and completes it, or completes the one that was begun under this id.
   *
   * @param fid kept for its writer; {@link #NEW_ID} for a file without content
   */
  public FileInfo write(
      StorePath path, Creation creation, long fid, Content content, Caller caller, long nowMs)
      throws NamespaceException {
    if (fid != NEW_ID && !isReserved(fid, creation.writer())) {
      return complete(fid, creation.writer(), content, nowMs);
    }
    Spot spot = require(path, creation, caller);
    long length = content.length();
    Limits.requirePlaces(content.places(), Limits.blocks(length, creation.blockSizeLog()));
    if (fid != NEW_ID) {
      blocks.requireNothingMissing(inodes.find(fid), content.places());
    }
    int names = spot.isThere ? 0 : path.depth() - spot.depth;
    long freed = spot.isThere ? inodes.length(spot.slot) : 0;
    // As with a file that is begun first: none is where nothing is left.
    long bytes = spot.isThere ? length - freed : Math.max(1, length);
    tree.quotas().require(spot.directory, names, bytes);
    int owner = principals.number(caller.user());
    int file = begin(path, creation, fid, spot, owner, nowMs);
    finish(file, content, nowMs);
    return mounted.info(file);
  }

  // ---- the end

  /** Completes a file: from now on it is read, and never changes. A repetition does no harm. */
  public FileInfo complete(long fid, long writer, Content content, long nowMs)
      throws NamespaceException {
    int slot = tree.requireLive(fid);
    long length = content.length();
    int[] places = content.places();
    int count = Limits.blocks(length, inodes.blockSizeLog(slot));
    boolean isDone = inodes.kind(slot) == Kind.COMPLETE && inodes.length(slot) == length;
    if (!isDone) {
      requireWriter(slot, writer);
      boolean isBelowOnly = places.length == 0 && mounted.isBelow(slot);
      mounted.requireWholeCopy(slot, length);
      if (!isBelowOnly) {
        Limits.requirePlaces(places, count);
        blocks.requireNothingMissing(slot, places);
      }
      tree.quotas().require(inodes.parent(slot), 0, length);
      finish(slot, content, nowMs);
    }
    return mounted.info(slot);
  }

  private void finish(int slot, Content content, long nowMs) {
    writers.remove(slot);
    tree.complete(slot, content.length());
    content.checksum().ifPresent(sum -> inodes.setChecksum(slot, sum));
    inodes.setModifiedMs(slot, nowMs);
    suspects.add(slot);
    blocks.addAll(slot, content.places());
  }

  /** Removes a file whose writer gives it up, or is gone; be it that only its id is kept. */
  public void abandon(long fid, long writer, long nowMs) throws NamespaceException {
    if (isReserved(fid, writer)) {
      release(inodes.find(fid));
      return;
    }
    int slot = tree.requireLive(fid);
    requireWriter(slot, writer);
    tree.detach(slot, nowMs);
    doomed.add(slot);
  }

  /** Removes all files that are not complete of a writer that is gone, and frees its ids. */
  public void abandonAll(long writer, long nowMs) {
    for (int slot : writers.of(writer)) {
      if (tree.isWithin(slot, InodeTable.ROOT)) {
        tree.detach(slot, nowMs);
        doomed.add(slot);
      }
      writers.remove(slot);
    }
    reserved.of(writer).forEach(this::release);
  }

  /** What workers have of it goes with it. */
  private void release(int slot) {
    reserved.remove(slot);
    doomed.add(slot);
  }

  private void requireWriter(int slot, long writer) throws NamespaceException {
    if (!writers.isWriter(slot, writer)) {
      boolean isComplete = inodes.kind(slot) == Kind.COMPLETE;
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "fid=%s name=%s %s"
              .formatted(
                  Fid.text(inodes.fid(slot)),
                  tree.name(slot),
                  isComplete ? "is complete" : "is written by someone else"));
    }
  }
}
