package dev.sailfish.testkit.qfs;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The tree of files and directories; guarded by the cluster's lock. */
final class Namespace {
  static final long ROOT = 2;
  private static final int ROOT_MODE = 0777;

  private final Map<Long, Inode> inodes = new HashMap<>();
  private final InstantSource time = InstantSource.system();
  private long nextId = ROOT + 1;

  Namespace() {
    Inode root = new Inode(ROOT, true, "/", null);
    root.mode = ROOT_MODE;
    root.replication = 1;
    stamp(root);
    inodes.put(ROOT, root);
  }

  Inode get(long id) {
    return inodes.get(id);
  }

  /** An entry of a directory; {@code .}, {@code ..} and the root's {@code /} are entries too. */
  Inode entry(Inode directory, String name) {
    return switch (name) {
      case "." -> directory;
      case ".." -> directory.parent == null ? directory : directory.parent;
      case "/" -> directory.id == ROOT ? directory : null;
      default -> directory.entries.get(name);
    };
  }

  /** The file or directory at a path, or null. */
  Inode at(Inode from, String path) {
    Inode current = path.startsWith("/") ? inodes.get(ROOT) : from;
    for (String part : path.split("/")) {
      if (current == null || !current.directory) {
        return null;
      }
      current = part.isEmpty() ? current : entry(current, part);
    }
    return current;
  }

  /**
   * Whether who asks may go the way to what {@link #at} finds. A way of several names is not
   * refused at its first directory, as the metaserver has it.
   */
  boolean isOpen(Inode from, String path, WireRequest request) {
    Inode current = path.startsWith("/") ? inodes.get(ROOT) : from;
    List<String> names = Stream.of(path.split("/")).filter(name -> !name.isEmpty()).toList();
    boolean open = names.size() != 1 || current.allows(request, Inode.SEARCH);
    for (int i = 0; open && i < names.size() - 1 && current != null; i++) {
      Inode next = entry(current, names.get(i));
      current = next != null && next.directory ? next : null;
      open = current == null || current.allows(request, Inode.SEARCH);
    }
    return open;
  }

  static boolean isLegal(String name) {
    return !name.isEmpty() && !name.contains("/") && !name.equals(".") && !name.equals("..");
  }

  Inode add(Inode directory, String name, boolean isDirectory) {
    Inode inode = new Inode(nextId++, isDirectory, name, directory);
    stamp(inode);
    inodes.put(inode.id, inode);
    directory.entries.put(name, inode);
    directory.modified = inode.modified;
    return inode;
  }

  void remove(Inode inode) {
    inodes.remove(inode.id);
    inode.parent.entries.remove(inode.name);
    inode.parent.modified = nowMicros();
  }

  void move(Inode inode, Inode directory, String name) {
    inode.parent.entries.remove(inode.name);
    inode.parent.modified = nowMicros();
    inode.name = name;
    inode.parent = directory;
    directory.entries.put(name, inode);
    directory.modified = nowMicros();
  }

  long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time.instant());
  }

  private void stamp(Inode inode) {
    inode.created = nowMicros();
    inode.changed = inode.created;
    inode.modified = inode.created;
  }
}
