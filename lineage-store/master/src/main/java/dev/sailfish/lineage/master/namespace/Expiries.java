package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which files go at which time: a table of those that do, and no others. */
public final class Expiries {
  /** How many files may have a time. */
  static final int MOST = 1_000_000;

  /** Ten years: longer is for ever. */
  private static final long LONGEST_MS = 10L * 365 * 24 * 3600 * 1000;

  private record Due(long atMs, int slot) {}

  /** What is done with a file whose time is over. */
  @FunctionalInterface
  interface Over {
    void run(int slot, Expiry.Action action);
  }

  private final Tree tree;
  private final InodeTable inodes;
  private final MountedTree mounted;
  private final Map<Integer, Expiry> expiries = new TreeMap<>();
  private final NavigableSet<Due> order =
      new TreeSet<>(Comparator.comparingLong(Due::atMs).thenComparingInt(Due::slot));
  private long nowMs;

  Expiries(Tree tree, InodeTable inodes, MountedTree mounted) {
    this.tree = tree;
    this.inodes = inodes;
    this.mounted = mounted;
  }

  /** How late it is by the journal's clock. */
  public void at(long journalMs) {
    nowMs = journalMs;
  }

  /**
   * Has a file go after some time; 0: has it stay. The caller needs the permissions for deleting
   * it.
   *
   * @param afterMs from now on, in milliseconds of the journal's clock
   */
  public void set(StorePath path, long afterMs, Expiry.Action action, Caller caller)
      throws NamespaceException {
    Limits.requireInRange("a time to live in milliseconds", afterMs, LONGEST_MS);
    int slot = tree.walk(path, caller);
    if (inodes.isDirectory(slot)) {
      throw new NamespaceException(
          Reason.IS_A_DIRECTORY, path + " is a directory: files have a time to live");
    }
    tree.requireRemovable(caller, inodes.parent(slot), slot, path);
    if (action == Expiry.Action.DELETE && afterMs > 0 && mounted.find(path).isPresent()) {
      throw new NamespaceException(
          Reason.INVALID,
          path + " is in a file system that is mounted: it can be freed after a time, not deleted");
    }
    if (action == Expiry.Action.FREE && !mounted.isBelow(slot)) {
      throw new NamespaceException(
          Reason.INVALID,
          path + " has no copy below, from which it could be read again: it can only be deleted");
    }
    if (afterMs > 0 && !expiries.containsKey(slot) && expiries.size() == MOST) {
      throw new NamespaceException(
          Reason.FULL, MOST + " files have a time to live: no further one gets one");
    }
    forget(slot);
    if (afterMs > 0) {
      put(slot, new Expiry(nowMs + afterMs, action));
    }
  }

  private void put(int slot, Expiry expiry) {
    expiries.put(slot, expiry);
    order.add(new Due(expiry.atMs(), slot));
  }

  /** How long a file has still to live, and what is done then. */
  public Optional<Expiry> of(StorePath path, Caller caller) throws NamespaceException {
    return Optional.ofNullable(expiries.get(tree.walk(path, caller)));
  }

  /** How many files have a time. */
  public int size() {
    return expiries.size();
  }

  /** Whether there is a file whose time is over. */
  public boolean isDue(long journalMs) {
    return !order.isEmpty() && order.first().atMs() <= journalMs;
  }

  /** Ends some files whose time is over, the oldest first. */
  void expire(int limit, Over over) {
    for (int i = 0; i < limit && isDue(nowMs); i++) {
      int slot = order.first().slot();
      Expiry.Action action = expiries.get(slot).action();
      forget(slot);
      if (tree.isWithin(slot, InodeTable.ROOT)) {
        over.run(slot, action);
      }
    }
  }

  /** The slot is about to be free, or its file has no time any more. */
  void forget(int slot) {
    Expiry expiry = expiries.remove(slot);
    if (expiry != null) {
      order.remove(new Due(expiry.atMs(), slot));
    }
  }

  /** Writes { expiries:4 { slot:4 at:8 action:1 } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(expiries.size());
    for (Map.Entry<Integer, Expiry> entry : expiries.entrySet()) {
      out.writeInt(entry.getKey());
      out.writeLong(entry.getValue().atMs());
      out.writeByte(entry.getValue().action().ordinal());
    }
  }

  void read(DataInputStream in) throws IOException {
    Expiry.Action[] actions = Expiry.Action.values();
    for (int left = in.readInt(); left > 0; left--) {
      int slot = in.readInt();
      long atMs = in.readLong();
      int action = in.readUnsignedByte();
      if (action >= actions.length) {
        throw new IOException("snapshot is damaged: there is no action=" + action);
      }
      put(slot, new Expiry(atMs, actions[action]));
    }
  }
}
