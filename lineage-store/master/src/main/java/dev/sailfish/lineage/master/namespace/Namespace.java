package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.namespace.InodeTable.Kind;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The tree. Times come from the caller, and are those of the journal. A method that throws has
 * changed nothing. Not thread-safe.
 */
public final class Namespace {
  /** Whose the root directory is, until someone else is given it. */
  public static final String ROOT_OWNER = "sailfish";

  private static final int ROOT_MODE = 0755;
  private static final int MOST_FILES = 1 << 30;
  private static final byte[] NO_NAME = {};

  private final Freeze freeze = new Freeze();
  private final InodeTable inodes = new InodeTable(freeze);
  private final Map<Integer, Directory> directories = new HashMap<>();
  private final Principals principals = new Principals();
  private final Access access = new Access(inodes, principals);
  private final Writers writers = new Writers();
  private final Doomed doomed = new Doomed(inodes);
  private int live; // files and directories in the table, those that are doomed too

  private Namespace() {}

  /** A namespace with nothing but its root. */
  public static Namespace empty() {
    Namespace namespace = new Namespace();
    int root = namespace.inodes.allocate(Kind.DIRECTORY);
    namespace.inodes.setParent(root, InodeTable.NONE);
    namespace.inodes.setName(root, NO_NAME);
    namespace.inodes.setMode(root, ROOT_MODE);
    try {
      int owner = namespace.principals.number(ROOT_OWNER);
      namespace.inodes.setOwner(root, owner);
      namespace.inodes.setGroup(root, owner);
    } catch (NamespaceException e) {
      throw new IllegalStateException(e);
    }
    namespace.directories.put(root, new Directory(namespace.inodes));
    namespace.live = 1;
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
    NamespaceImage.readVersion(data);
    namespace.principals.read(data);
    namespace.writers.read(data);
    namespace.doomed.read(data);
    namespace.inodes.read(data);
    namespace.rebuildDirectories();
    return namespace;
  }

  private void rebuildDirectories() throws IOException {
    for (int slot = 0; slot < inodes.slots(); slot++) {
      if (inodes.isDirectory(slot)) {
        directories.put(slot, new Directory(inodes));
      }
    }
    for (int slot = 0; slot < inodes.slots(); slot++) {
      if (inodes.kind(slot) == Kind.FREE) {
        continue;
      }
      live++;
      int parent = inodes.parent(slot);
      if (parent == InodeTable.NONE) {
        continue; // the root, or doomed
      }
      Directory directory = directories.get(parent);
      if (directory == null) {
        throw new IOException(
            "table of files is damaged: fid=%s is in slot %d, which is no directory"
                .formatted(Fid.text(inodes.fid(slot)), parent));
      }
      directory.add(slot);
    }
  }

  /** The namespace as it is now, for a snapshot; one at a time. */
  public StateView freeze() {
    freeze.begin();
    return new NamespaceImage(freeze, inodes.image(), principals, writers, doomed);
  }

  /** How many files and directories there are, those too that are still to be freed. */
  public int size() {
    return live;
  }

  /** How many files are being written. */
  public int writing() {
    return writers.size();
  }

  /** Who writes files; a copy. */
  public Set<Long> writers() {
    return writers.all();
  }

  /**
   * Begins a file: it is there, and nobody reads it until it is complete.
   *
   * @return what is known of it; its id is new, also when it replaces another file
   */
  public FileInfo create(StorePath path, Creation creation, Caller caller, long nowMs)
      throws NamespaceException {
    Limits.requireValid(creation);
    requireRoom(path.depth());
    int owner = principals.number(caller.user());
    Place deepest = deepest(path, caller);
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
    requireDirectory(directory, path, Math.min(depth, above));
    if (depth < above && creation.parentMode() == Creation.NO_PARENTS) {
      throw notFound(path.beginning(depth + 1));
    }
    if (isThere) {
      requireRemovable(caller, directory, slot, path);
      detach(slot, nowMs);
      doomed.add(slot);
    } else {
      require(caller, Access.WRITE, "write in", directory, path.beginning(depth));
    }
    for (; depth < above; depth++) {
      directory = add(directory, Kind.DIRECTORY, path.name(depth), nowMs);
      own(directory, owner, creation.parentMode());
    }
    int file = add(directory, Kind.WRITING, path.last(), nowMs);
    own(file, owner, creation.mode());
    inodes.setBlockSizeLog(file, creation.blockSizeLog());
    writers.add(file, creation.writer());
    return info(file);
  }

  /** Makes a directory, and those above it; what is there already stays as it is. */
  public FileInfo makeDirectories(StorePath path, int mode, Caller caller, long nowMs)
      throws NamespaceException {
    Limits.requireMode(mode);
    requireRoom(path.depth());
    int owner = principals.number(caller.user());
    Place deepest = deepest(path, caller);
    int depth = deepest.depth();
    int slot = deepest.slot();
    if (!inodes.isDirectory(slot)) {
      Reason reason = depth == path.depth() ? Reason.EXISTS : Reason.NOT_A_DIRECTORY;
      throw new NamespaceException(reason, path.beginning(depth) + " is a file");
    }
    if (depth < path.depth()) {
      require(caller, Access.WRITE, "write in", slot, path.beginning(depth));
    }
    for (; depth < path.depth(); depth++) {
      slot = add(slot, Kind.DIRECTORY, path.name(depth), nowMs);
      own(slot, owner, mode);
    }
    return info(slot);
  }

  /**
   * Completes a file: from now on it is read, and never changes. A repetition does no harm.
   *
   * @param length its bytes
   */
  public FileInfo complete(long fid, long writer, long length, long nowMs)
      throws NamespaceException {
    Limits.requireInRange("a length", length, Long.MAX_VALUE);
    int slot = requireLive(fid);
    boolean isDone = inodes.kind(slot) == Kind.COMPLETE && inodes.length(slot) == length;
    if (!isDone) {
      requireWriter(slot, writer);
      writers.remove(slot);
      inodes.setKind(slot, Kind.COMPLETE);
      inodes.setLength(slot, length);
      inodes.setModifiedMs(slot, nowMs);
    }
    return info(slot);
  }

  /** Removes a file whose writer gives it up, or is gone. */
  public void abandon(long fid, long writer, long nowMs) throws NamespaceException {
    int slot = requireLive(fid);
    requireWriter(slot, writer);
    detach(slot, nowMs);
    doomed.add(slot);
  }

  /** Removes all files that are not complete of a writer that is gone. */
  public void abandonAll(long writer, long nowMs) {
    for (int slot : writers.of(writer)) {
      if (isWithin(slot, InodeTable.ROOT)) {
        detach(slot, nowMs);
        doomed.add(slot);
      }
      writers.remove(slot);
    }
  }

  /**
   * Removes a file or directory.
   *
   * @param recursive whether a directory may have entries; the caller must be permitted to change
   *     each directory below, too
   */
  public void delete(StorePath path, boolean recursive, Caller caller, long nowMs)
      throws NamespaceException {
    int slot = walk(path, caller);
    int directory = inodes.parent(slot);
    if (slot == InodeTable.ROOT) {
      throw new NamespaceException(Reason.INVALID, "the root cannot be removed");
    }
    requireRemovable(caller, directory, slot, path);
    if (inodes.isDirectory(slot) && directories.get(slot).size() > 0) {
      if (!recursive) {
        throw new NamespaceException(Reason.NOT_EMPTY, path + " is not empty");
      }
      requireRemovableBelow(caller, slot, path);
    }
    detach(slot, nowMs);
    doomed.add(slot);
  }

  /**
   * Moves a file or directory, at once and as a whole.
   *
   * @param replace whether a file may take the place of a file, and a directory that of an empty
   *     one
   */
  public void rename(StorePath from, StorePath to, boolean replace, Caller caller, long nowMs)
      throws NamespaceException {
    int slot = walk(from, caller);
    if (slot == InodeTable.ROOT || to.depth() == 0) {
      throw new NamespaceException(Reason.INVALID, "the root cannot be renamed or replaced");
    }
    int directory = walk(to, to.depth() - 1, caller);
    requireDirectory(directory, to, to.depth() - 1);
    int there = child(directory, to, to.depth() - 1, caller);
    if (there == slot) {
      return;
    }
    if (isWithin(directory, slot)) {
      throw new NamespaceException(Reason.INVALID, from + " cannot be moved into itself: " + to);
    }
    requireRemovable(caller, inodes.parent(slot), slot, from);
    require(caller, Access.WRITE, "write in", directory, to.beginning(to.depth() - 1));
    if (there != InodeTable.NONE) {
      requireReplaceable(slot, there, replace, to);
      requireRemovable(caller, directory, there, to);
      detach(there, nowMs);
      doomed.add(there);
    }
    detach(slot, nowMs);
    inodes.setName(slot, to.last());
    attach(slot, directory, nowMs);
  }

  private void requireReplaceable(int slot, int there, boolean replace, StorePath to)
      throws NamespaceException {
    if (!replace) {
      throw new NamespaceException(Reason.EXISTS, to + " is there already");
    }
    boolean isDirectory = inodes.isDirectory(there);
    if (isDirectory != inodes.isDirectory(slot)) {
      Reason reason = isDirectory ? Reason.IS_A_DIRECTORY : Reason.NOT_A_DIRECTORY;
      throw new NamespaceException(reason, to + (isDirectory ? " is a directory" : " is a file"));
    }
    if (isDirectory && directories.get(there).size() > 0) {
      throw new NamespaceException(Reason.NOT_EMPTY, to + " is not empty");
    }
  }

  /** What is known of a file or directory. */
  public FileInfo stat(StorePath path, Caller caller) throws NamespaceException {
    return info(walk(path, caller));
  }

  /** What is known of a file or directory, wherever it is now. */
  public FileInfo stat(long fid) throws NamespaceException {
    return info(requireLive(fid));
  }

  /** Where a file or directory is now. */
  public String path(long fid) throws NamespaceException {
    StringBuilder path = new StringBuilder();
    for (int slot = requireLive(fid); slot != InodeTable.ROOT; slot = inodes.parent(slot)) {
      path.insert(0, name(slot)).insert(0, '/');
    }
    return path.isEmpty() ? "/" : path.toString();
  }

  /**
   * The entries of a directory, in the order of their names' bytes; of a file, itself.
   *
   * @param after the last name that the caller has already; empty to begin with
   * @param limit how many, at most
   */
  public List<FileInfo> list(StorePath path, String after, int limit, Caller caller)
      throws NamespaceException {
    int slot = walk(path, caller);
    if (!inodes.isDirectory(slot)) {
      return after.isEmpty() ? List.of(info(slot)) : List.of();
    }
    require(caller, Access.READ, "list", slot, path.toString());
    byte[] name = after.getBytes(StandardCharsets.UTF_8);
    int[] entries = directories.get(slot).after(name, limit);
    List<FileInfo> infos = new ArrayList<>(entries.length);
    for (int entry : entries) {
      infos.add(info(entry));
    }
    return infos;
  }

  /** Sets the permissions of what is the caller's own. */
  public void setMode(StorePath path, int mode, Caller caller) throws NamespaceException {
    Limits.requireMode(mode);
    int slot = walk(path, caller);
    requireOwner(caller, slot, path);
    inodes.setMode(slot, mode);
  }

  /**
   * Gives a file or directory to another user or group; an empty name leaves that as it is. Only a
   * superuser gives something away; an owner chooses among groups that it is in.
   */
  public void setOwner(StorePath path, String owner, String group, Caller caller)
      throws NamespaceException {
    int slot = walk(path, caller);
    requireOwner(caller, slot, path);
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
    int slot = walk(path, caller);
    if (!access.isOwner(caller, slot)) {
      require(caller, Access.WRITE, "change the time of", slot, path.toString());
    }
    inodes.setModifiedMs(slot, modifiedMs);
  }

  /**
   * Frees some of what was deleted. To be called with each change, so that all peers free the same
   * at the same time.
   *
   * @param limit how many, at most
   * @param freed told the id of each file whose blocks nobody needs any more
   * @return whether there is more
   */
  public boolean sweep(int limit, LongConsumer freed) {
    doomed.free(
        limit,
        directories::get,
        slot -> {
          live--;
          writers.remove(slot);
          if (directories.remove(slot) == null) {
            freed.accept(inodes.fid(slot));
          }
        });
    return !doomed.isEmpty();
  }

  /** The beginning of a path with so many names, and where that is. */
  private record Place(int depth, int slot) {}

  /** The longest beginning of a path that is there. */
  private Place deepest(StorePath path, Caller caller) throws NamespaceException {
    int slot = InodeTable.ROOT;
    int depth = 0;
    while (depth < path.depth() && inodes.isDirectory(slot)) {
      int next = child(slot, path, depth, caller);
      if (next == InodeTable.NONE) {
        break;
      }
      slot = next;
      depth++;
    }
    return new Place(depth, slot);
  }

  private int walk(StorePath path, Caller caller) throws NamespaceException {
    return walk(path, path.depth(), caller);
  }

  private int walk(StorePath path, int depth, Caller caller) throws NamespaceException {
    int slot = InodeTable.ROOT;
    for (int i = 0; i < depth; i++) {
      requireDirectory(slot, path, i);
      slot = child(slot, path, i, caller);
      if (slot == InodeTable.NONE) {
        throw notFound(path.beginning(i + 1));
      }
    }
    return slot;
  }

  private int child(int directory, StorePath path, int number, Caller caller)
      throws NamespaceException {
    require(caller, Access.EXECUTE, "enter", directory, path.beginning(number));
    return directories.get(directory).find(path.name(number));
  }

  private int requireLive(long fid) throws NamespaceException {
    int slot = inodes.find(fid);
    if (slot == InodeTable.NONE || !isWithin(slot, InodeTable.ROOT)) {
      throw notFound("fid=" + Fid.text(fid));
    }
    return slot;
  }

  private boolean isWithin(int slot, int directory) {
    int at = slot;
    while (at != directory && at != InodeTable.NONE) {
      at = inodes.parent(at);
    }
    return at == directory;
  }

  private void requireWriter(int slot, long writer) throws NamespaceException {
    if (!writers.isWriter(slot, writer)) {
      boolean isComplete = inodes.kind(slot) == Kind.COMPLETE;
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "fid=%s name=%s %s"
              .formatted(
                  Fid.text(inodes.fid(slot)),
                  name(slot),
                  isComplete ? "is complete" : "is written by someone else"));
    }
  }

  private void requireRoom(int count) throws NamespaceException {
    if (live > MOST_FILES - count) {
      throw new NamespaceException(
          Reason.FULL, "there are " + live + " files and directories: delete some");
    }
  }

  private void requireDirectory(int slot, StorePath path, int depth) throws NamespaceException {
    if (!inodes.isDirectory(slot)) {
      throw new NamespaceException(Reason.NOT_A_DIRECTORY, path.beginning(depth) + " is a file");
    }
  }

  private void require(Caller caller, int bits, String what, int slot, String path)
      throws NamespaceException {
    if (!access.permits(caller, slot, bits)) {
      throw access.denied(caller, what, path, slot);
    }
  }

  private void requireOwner(Caller caller, int slot, StorePath path) throws NamespaceException {
    if (!access.isOwner(caller, slot)) {
      throw access.denied(caller, "change permissions of", path.toString(), slot);
    }
  }

  private void requireRemovable(Caller caller, int directory, int slot, StorePath path)
      throws NamespaceException {
    String above = path.beginning(path.depth() - 1);
    require(caller, Access.WRITE, "write in", directory, above);
    if (!access.permitsRemoval(caller, directory, slot)) {
      throw access.denied(caller, "remove, from a sticky directory,", path.toString(), slot);
    }
  }

  private void requireRemovableBelow(Caller caller, int slot, StorePath path)
      throws NamespaceException {
    if (caller.isSuperuser()) {
      return;
    }
    List<Integer> open = new ArrayList<>(List.of(slot));
    while (!open.isEmpty()) {
      int directory = open.remove(open.size() - 1);
      Directory entries = directories.get(directory);
      int bits = Access.READ | Access.WRITE | Access.EXECUTE;
      if (entries.size() > 0 && !access.permits(caller, directory, bits)) {
        String which = directory == slot ? "" : name(directory) + " somewhere in ";
        throw access.denied(caller, "empty", which + path, directory);
      }
      for (int entry : entries.after(NO_NAME, entries.size())) {
        if (!access.permitsRemoval(caller, directory, entry)) {
          throw access.denied(caller, "remove", name(entry) + " somewhere in " + path, entry);
        }
        if (inodes.isDirectory(entry)) {
          open.add(entry);
        }
      }
    }
  }

  private static NamespaceException notFound(String what) {
    return new NamespaceException(Reason.NOT_FOUND, "there is no " + what);
  }

  private int add(int directory, Kind kind, byte[] name, long nowMs) {
    int slot = inodes.allocate(kind);
    live++;
    inodes.setName(slot, name);
    inodes.setModifiedMs(slot, nowMs);
    inodes.setGroup(slot, inodes.group(directory));
    if (kind == Kind.DIRECTORY) {
      directories.put(slot, new Directory(inodes));
    }
    attach(slot, directory, nowMs);
    return slot;
  }

  private void own(int slot, int owner, int mode) {
    inodes.setOwner(slot, owner);
    inodes.setMode(slot, mode);
  }

  private void attach(int slot, int directory, long nowMs) {
    inodes.setParent(slot, directory);
    directories.get(directory).add(slot);
    inodes.setModifiedMs(directory, nowMs);
  }

  private void detach(int slot, long nowMs) {
    int directory = inodes.parent(slot);
    directories.get(directory).remove(inodes.name(slot));
    inodes.setModifiedMs(directory, nowMs);
  }

  private String name(int slot) {
    return new String(inodes.name(slot), StandardCharsets.UTF_8);
  }

  private FileInfo info(int slot) {
    boolean isDirectory = inodes.isDirectory(slot);
    return new FileInfo(
        inodes.fid(slot),
        name(slot),
        isDirectory,
        inodes.kind(slot) == Kind.COMPLETE,
        inodes.length(slot),
        isDirectory ? 0 : 1L << inodes.blockSizeLog(slot),
        inodes.modifiedMs(slot),
        principals.name(inodes.owner(slot)),
        principals.name(inodes.group(slot)),
        inodes.mode(slot));
  }
}
