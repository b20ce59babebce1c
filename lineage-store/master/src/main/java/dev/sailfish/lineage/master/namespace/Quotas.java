package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How much may be in which directories. What is in one is counted when it gets a quota, and kept up
 * to date from then on; a directory without a quota costs nothing.
 */
public final class Quotas {
  /** How many directories may have one. */
  static final int MOST = 100_000;

  /** How many files and directories are counted at once, at most. */
  private static final int MOST_COUNTED = 1_000_000;

  private static final byte[] NO_NAME = {};

  private final Tree tree;
  private final InodeTable inodes;
  private final Map<Integer, Quota> quotas = new TreeMap<>();

  Quotas(Tree tree, InodeTable inodes) {
    this.tree = tree;
    this.inodes = inodes;
  }

  /**
   * Gives a directory a quota, in place of the one that it has. What is there already stays, be it
   * more than that.
   *
   * @param names as {@link Quota} says; with {@code bytes} without a limit, too, the quota goes
   * @param bytes as {@link Quota} says
   */
  public void set(StorePath path, long names, long bytes, Caller caller) throws NamespaceException {
    Limits.requireInRange("a quota", names, Long.MAX_VALUE);
    Limits.requireInRange("a quota", bytes, Long.MAX_VALUE);
    int slot = tree.walk(path, caller);
    tree.requireDirectory(slot, path, path.depth());
    if (!caller.isSuperuser()) {
      throw tree.access().denied(caller, "set a quota of", path.toString(), slot);
    }
    if (names == Quota.NO_LIMIT && bytes == Quota.NO_LIMIT) {
      quotas.remove(slot);
      return;
    }
    Quota before = quotas.get(slot);
    if (before == null && quotas.size() == MOST) {
      throw new NamespaceException(
          Reason.FULL, MOST + " directories have quotas: no further one gets one");
    }
    Usage used = before == null ? count(slot, MOST_COUNTED) : before.used();
    quotas.put(slot, new Quota(names, bytes, used));
  }

  /** The quota of a directory that the caller may list; empty if it has none, or is a file. */
  public Optional<Quota> of(StorePath path, Caller caller) throws NamespaceException {
    int slot = tree.walk(path, caller);
    if (inodes.isDirectory(slot)) {
      tree.require(caller, Access.READ | Access.EXECUTE, "count", slot, path.toString());
    }
    return Optional.ofNullable(quotas.get(slot));
  }

  /** How many directories have one. */
  public int size() {
    return quotas.size();
  }

  /**
   * Whether a directory may have more in it.
   *
   * @param names how many files and directories come
   * @param bytes how many come, or may come
   * @throws NamespaceException QUOTA
   */
  void require(int directory, long names, long bytes) throws NamespaceException {
    for (int at : above(directory)) {
      require(at, quotas.get(at), names, bytes);
    }
  }

  /**
   * Whether something may be moved into a directory.
   *
   * @param there what goes for it, or {@link InodeTable#NONE}
   * @throws NamespaceException QUOTA; FULL when it is too large to be counted
   */
  void requireMove(int slot, int directory, int there) throws NamespaceException {
    List<Integer> further = further(directory, inodes.parent(slot));
    if (further.isEmpty()) {
      return;
    }
    Usage moved = count(slot, MOST_COUNTED);
    Usage gone = there == InodeTable.NONE ? Usage.NONE : count(there, MOST_COUNTED);
    for (int at : further) {
      long names = moved.names() - gone.names();
      require(at, quotas.get(at), names, moved.bytes() - gone.bytes());
    }
  }

  private void require(int directory, Quota quota, long names, long bytes)
      throws NamespaceException {
    if (!quota.permitsNames(names)) {
      throw usedUp(directory, "files and directories", quota.used().names(), quota.names(), names);
    }
    if (!quota.permitsBytes(bytes)) {
      throw usedUp(directory, "bytes", quota.used().bytes(), quota.bytes(), bytes);
    }
  }

  private NamespaceException usedUp(int directory, String what, long used, long limit, long more) {
    return new NamespaceException(
        Reason.QUOTA,
        "the quota of %s does not permit it: of %d %s it uses %d, and this takes %d more"
            .formatted(tree.path(directory), limit, what, used, more));
  }

  /** Something is in a directory now. */
  void added(int directory, Usage usage) {
    above(directory).forEach(at -> quotas.computeIfPresent(at, (slot, q) -> plus(q, usage)));
  }

  private static Quota plus(Quota quota, Usage usage) {
    return quota.with(quota.used().plus(usage));
  }

  /** A file or directory is about to leave its directory for good. */
  void leaves(int slot) {
    List<Integer> above = above(inodes.parent(slot));
    if (!above.isEmpty()) {
      Usage usage = countAll(slot);
      above.forEach(at -> quotas.computeIfPresent(at, (key, q) -> q.with(q.used().minus(usage))));
    }
  }

  /** A file or directory is about to be moved to another directory. */
  void moves(int slot, int to) {
    int from = inodes.parent(slot);
    List<Integer> fewer = further(from, to);
    List<Integer> more = further(to, from);
    if (fewer.isEmpty() && more.isEmpty()) {
      return;
    }
    Usage usage = countAll(slot);
    fewer.forEach(at -> quotas.computeIfPresent(at, (key, q) -> q.with(q.used().minus(usage))));
    more.forEach(at -> quotas.computeIfPresent(at, (key, q) -> plus(q, usage)));
  }

  /** Directories with quotas that a directory is in, itself included. */
  private List<Integer> above(int directory) {
    if (quotas.isEmpty()) {
      return List.of();
    }
    List<Integer> above = new ArrayList<>();
    for (int at = directory; at != InodeTable.NONE; at = inodes.parent(at)) {
      if (quotas.containsKey(at)) {
        above.add(at);
      }
    }
    return above;
  }

  /** Those that one directory is in, and the other one is not. */
  private List<Integer> further(int directory, int other) {
    List<Integer> further = above(directory);
    further = further.isEmpty() ? further : new ArrayList<>(further);
    if (!further.isEmpty()) {
      further.removeAll(above(other));
    }
    return further;
  }

  private Usage countAll(int slot) {
    try {
      return count(slot, Integer.MAX_VALUE);
    } catch (NamespaceException e) {
      throw new IllegalStateException(e); // there are fewer
    }
  }

  /** What is in a directory with a quota is known, and is not looked at. */
  private Usage count(int slot, int limit) throws NamespaceException {
    Deque<Integer> open = new ArrayDeque<>(List.of(slot));
    Usage counted = Usage.NONE;
    int left = limit;
    while (!open.isEmpty()) {
      int at = open.pop();
      Quota known = quotas.get(at);
      if (known != null) {
        counted = counted.plus(known.used());
      } else if (!inodes.isDirectory(at)) {
        counted = counted.plus(Usage.file(inodes.length(at)));
      } else {
        counted = counted.plus(Usage.directories(1));
        Directory entries = tree.entries(at);
        left -= entries.size();
        if (left < 0) {
          throw new NamespaceException(
              Reason.FULL,
              ("%s has more than %d files and directories below it, more than are counted at once:"
                      + " set quotas of directories in it first, which count as one")
                  .formatted(tree.path(slot), limit));
        }
        for (int entry : entries.after(NO_NAME, entries.size())) {
          open.push(entry);
        }
      }
    }
    return counted;
  }

  /** The slot is about to be free. */
  void forget(int slot) {
    quotas.remove(slot);
  }

  /** Writes { quotas:4 { slot:4 names:8 bytes:8 used { files:8 directories:8 bytes:8 } } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(quotas.size());
    for (Map.Entry<Integer, Quota> entry : quotas.entrySet()) {
      Quota quota = entry.getValue();
      out.writeInt(entry.getKey());
      out.writeLong(quota.names());
      out.writeLong(quota.bytes());
      out.writeLong(quota.used().files());
      out.writeLong(quota.used().directories());
      out.writeLong(quota.used().bytes());
    }
  }

  void read(DataInputStream in) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      int slot = in.readInt();
      long names = in.readLong();
      long bytes = in.readLong();
      Usage used = new Usage(in.readLong(), in.readLong(), in.readLong());
      quotas.put(slot, new Quota(names, bytes, used));
    }
  }
}
