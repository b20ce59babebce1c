package dev.sailfish.testkit.qfs;

import java.util.TreeMap;

/** A file or a directory; guarded by the cluster's lock. */
final class Inode {
  /** To list the names of a directory. */
  static final int READ = 4;

  /** To change the entries of a directory. */
  static final int WRITE = 2;

  /** To come to what a directory has. */
  static final int SEARCH = 1;

  private static final int OF_USER = 6;
  private static final int OF_GROUP = 3;

  final long id;
  final boolean directory;
  String name;
  Inode parent;
  int user;
  int group;
  int mode;
  int replication;

  /** Microseconds since 1970. */
  long modified;

  long changed;
  long created;

  /** Entries of a directory by name. */
  final TreeMap<String, Inode> entries = new TreeMap<>();

  /** Chunks of a file by their offset in it. */
  final TreeMap<Long, MetaChunk> chunks = new TreeMap<>();

  /** Bytes of a file; -1 while its last chunk is being written. */
  long size;

  Inode(long id, boolean directory, String name, Inode parent) {
    this.id = id;
    this.directory = directory;
    this.name = name;
    this.parent = parent;
  }

  /** Bytes of this file or of all files below this directory, unknown sizes left out. */
  long totalBytes() {
    if (!directory) {
      return Math.max(0, size);
    }
    return entries.values().stream().mapToLong(Inode::totalBytes).sum();
  }

  /** Files, or directories, below this one at any depth. */
  long count(boolean directories) {
    long count = 0;
    for (Inode entry : entries.values()) {
      count += entry.directory == directories ? 1 : 0;
      count += entry.directory ? entry.count(directories) : 0;
    }
    return count;
  }

  boolean isBelow(Inode other) {
    for (Inode i = this; i != null; i = i.parent) {
      if (i == other) {
        return true;
      }
    }
    return false;
  }

  /** Whether who asks has a right here; user 0 has all. */
  boolean allows(WireRequest request, int right) {
    long asUser = request.number("UserId", "u", 0);
    if (asUser == 0) {
      return true;
    }
    boolean isOfGroup = request.number("GroupId", "g", 0) == group;
    int shift = asUser == user ? OF_USER : isOfGroup ? OF_GROUP : 0;
    return (mode >> shift & right) != 0;
  }
}
