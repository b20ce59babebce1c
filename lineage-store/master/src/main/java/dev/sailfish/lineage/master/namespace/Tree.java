package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which file or directory is where, and the way there: what is on it must let the caller pass. Its
 * methods that change something check nothing.
 */
final class Tree {
  private static final byte[] NO_NAME = {};
  private static final int MOST_FILES = 1 << 30;

  private final InodeTable inodes;
  private final Map<Integer, Directory> directories = new HashMap<>();
  private final Access access;
  private final Quotas quotas;
  private int live; // files and directories in the table, those that are doomed too

  /** Without any directory: {@link #plant} or {@link #rebuild} comes next. */
  Tree(Freeze freeze, Principals principals) {
    inodes = new InodeTable(freeze);
    access = new Access(inodes, principals);
    quotas = new Quotas(this, inodes);
  }

  /** Makes the root. */
  void plant(int owner, int mode) {
    int root = inodes.allocate(Kind.DIRECTORY);
    inodes.setParent(root, InodeTable.NONE);
    inodes.setName(root, NO_NAME);
    inodes.setGroup(root, owner);
    own(root, owner, mode);
    directories.put(root, new Directory(inodes));
    live = 1;
  }

  /** Makes the directories of a table that was read. */
  void rebuild() throws IOException {
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

  InodeTable inodes() {
    return inodes;
  }

  Access access() {
    return access;
  }

  Quotas quotas() {
    return quotas;
  }

  /** How many files and directories there are, those too that are still to be freed. */
  int size() {
    return live;
  }

  void requireRoom(int count) throws NamespaceException {
    if (live > MOST_FILES - count) {
      throw new NamespaceException(
          Reason.FULL, "there are " + live + " files and directories: delete some");
    }
  }

  /** What is in a directory; null for a file. */
  Directory entries(int slot) {
    return directories.get(slot);
  }

  /**
   * What is freed next: forgets its entries.
   *
   * @return whether it is a directory
   */
  boolean forget(int slot) {
    live--;
    return directories.remove(slot) != null;
  }

  /** The beginning of a path with so many names, and where that is. */
  record Spot(int depth, int slot) {}

  /** The longest beginning of a path that is there. */
  Spot deepest(StorePath path, Caller caller) throws NamespaceException {
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
    return new Spot(depth, slot);
  }

  int walk(StorePath path, Caller caller) throws NamespaceException {
    return walk(path, path.depth(), caller);
  }

  int walk(StorePath path, int depth, Caller caller) throws NamespaceException {
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

  int child(int directory, StorePath path, int number, Caller caller) throws NamespaceException {
    require(caller, Access.EXECUTE, "enter", directory, path.beginning(number));
    return directories.get(directory).find(path.name(number));
  }

  int requireLive(long fid) throws NamespaceException {
    int slot = inodes.find(fid);
    if (slot == InodeTable.NONE || !isWithin(slot, InodeTable.ROOT)) {
      throw notFound("fid=" + Fid.text(fid));
    }
    return slot;
  }

  boolean isWithin(int slot, int directory) {
    int at = slot;
    while (at != directory && at != InodeTable.NONE) {
      at = inodes.parent(at);
    }
    return at == directory;
  }

  void requireDirectory(int slot, StorePath path, int depth) throws NamespaceException {
    if (!inodes.isDirectory(slot)) {
      throw new NamespaceException(Reason.NOT_A_DIRECTORY, path.beginning(depth) + " is a file");
    }
  }

  void require(Caller caller, int bits, String what, int slot, String path)
      throws NamespaceException {
    if (!access.permits(caller, slot, bits)) {
      throw access.denied(caller, what, path, slot);
    }
  }

  void requireOwner(Caller caller, int slot, StorePath path) throws NamespaceException {
    if (!access.isOwner(caller, slot)) {
      throw access.denied(caller, "change permissions of", path.toString(), slot);
    }
  }

  void requireRemovable(Caller caller, int directory, int slot, StorePath path)
      throws NamespaceException {
    String above = path.beginning(path.depth() - 1);
    require(caller, Access.WRITE, "write in", directory, above);
    if (!access.permitsRemoval(caller, directory, slot)) {
      throw access.denied(caller, "remove, from a sticky directory,", path.toString(), slot);
    }
  }

  void requireRemovableBelow(Caller caller, int slot, StorePath path) throws NamespaceException {
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

  void requireReplaceable(int slot, int there, boolean replace, StorePath to)
      throws NamespaceException {
    if (!replace) {
      throw new NamespaceException(Reason.EXISTS, to + " is there already");
    }
    boolean isDirectory = inodes.isDirectory(there);
    if (isDirectory != inodes.isDirectory(slot)) {
      Reason reason = isDirectory ? Reason.IS_A_DIRECTORY : Reason.NOT_A_DIRECTORY;
      throw new NamespaceException(reason, to + (isDirectory ? " is a directory" : " is a file"));
    }
    if (isDirectory && entries(there).size() > 0) {
      throw new NamespaceException(Reason.NOT_EMPTY, to + " is not empty");
    }
  }

  static NamespaceException notFound(String what) {
    return new NamespaceException(Reason.NOT_FOUND, "there is no " + what);
  }

  int add(int directory, Kind kind, byte[] name, long nowMs) {
    int slot = inodes.allocate(kind);
    live++;
    place(slot, directory, name, nowMs);
    return slot;
  }

  /** A slot for a file that is in no directory yet, and nowhere to be seen. */
  int reserve(int owner) {
    int slot = inodes.allocate(Kind.WRITING);
    live++;
    inodes.setParent(slot, InodeTable.NONE);
    inodes.setName(slot, NO_NAME);
    own(slot, owner, 0);
    return slot;
  }

  /** What is in no directory yet gets its name, and is there. */
  void place(int slot, int directory, byte[] name, long nowMs) {
    Kind kind = inodes.kind(slot);
    inodes.setName(slot, name);
    inodes.setModifiedMs(slot, nowMs);
    inodes.setGroup(slot, inodes.group(directory));
    if (kind == Kind.DIRECTORY) {
      directories.put(slot, new Directory(inodes));
    }
    attach(slot, directory, nowMs);
    quotas.added(directory, kind == Kind.DIRECTORY ? Usage.directories(1) : Usage.file(0));
  }

  void own(int slot, int owner, int mode) {
    inodes.setOwner(slot, owner);
    inodes.setMode(slot, mode);
  }

  private void attach(int slot, int directory, long nowMs) {
    inodes.setParent(slot, directory);
    directories.get(directory).add(slot);
    inodes.setModifiedMs(directory, nowMs);
  }

  /** It leaves its directory, and is in none. */
  void detach(int slot, long nowMs) {
    quotas.leaves(slot);
    remove(slot, nowMs);
  }

  /** It gets another name, in this directory or another one. */
  void move(int slot, int directory, byte[] name, long nowMs) {
    quotas.moves(slot, directory);
    remove(slot, nowMs);
    inodes.setName(slot, name);
    attach(slot, directory, nowMs);
  }

  /** A file gets its length. */
  void complete(int slot, long length) {
    inodes.setKind(slot, Kind.COMPLETE);
    inodes.setLength(slot, length);
    quotas.added(inodes.parent(slot), new Usage(0, 0, length));
  }

  private void remove(int slot, long nowMs) {
    int directory = inodes.parent(slot);
    directories.get(directory).remove(inodes.name(slot));
    inodes.setModifiedMs(directory, nowMs);
  }

  String name(int slot) {
    return new String(inodes.name(slot), StandardCharsets.UTF_8);
  }

  /** Where it is now. */
  String path(int slot) {
    StringBuilder path = new StringBuilder();
    for (int at = slot; at != InodeTable.ROOT; at = inodes.parent(at)) {
      path.insert(0, name(at)).insert(0, '/');
    }
    return path.isEmpty() ? "/" : path.toString();
  }
}
