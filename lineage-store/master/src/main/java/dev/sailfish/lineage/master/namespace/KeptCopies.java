package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Producer;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Inputs that are below when they are deleted, and that are kept there, out of sight, while
 * something that is made of them may be lost: in a directory of their mount, here and below, with
 * their ids, and for whom {@link KeptInputs} would keep them. A file that is made of what stays is
 * none of them: it can be made again.
 *
 * <p>To the graph of dependencies such a file is what it was, below: nothing that it was made of
 * has to be kept for it.
 */
public final class KeptCopies {
  /** Of a mount's root, here and below. */
  public static final String DIRECTORY = ".sailfish-kept";

  private static final Caller ANYTHING = new Caller(Namespace.ROOT_OWNER, Set.of(), true);
  private static final byte[] FIRST = {};

  private final Tree tree;
  private final InodeTable inodes;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final Uses uses;
  private final Doomed doomed;
  private final DependencyGraph graph;
  private final ClusterDirectories directories;
  private final KeptInputs inputs;

  KeptCopies(
      Tree tree,
      Blocks blocks,
      MountedTree mounted,
      Uses uses,
      Doomed doomed,
      ClusterDirectories directories,
      KeptInputs inputs) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.blocks = blocks;
    this.mounted = mounted;
    this.uses = uses;
    this.doomed = doomed;
    this.graph = inputs.graph();
    this.directories = directories;
    this.inputs = inputs;
  }

  /**
   * A file whose copy below is to be kept, or was.
   *
   * @param path where it is now
   * @param place where it is kept, in the same mount
   */
  public record Copy(long fid, StorePath path, StorePath place) {}

  /**
   * Files that have to be kept below when a path is removed: it, or what is in it.
   *
   * @return none when there is no such path, or nothing is mounted there
   */
  public List<Copy> needed(StorePath path) throws NamespaceException {
    boolean canBe = graph.size() > 0 && mounted.find(path).isPresent();
    if (!canBe) {
      return List.of();
    }
    Tree.Spot spot = tree.deepest(path, ANYTHING);
    if (spot.depth() < path.depth()) {
      return List.of();
    }
    List<Copy> needed = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>(List.of(spot.slot()));
    while (!open.isEmpty()) {
      int slot = open.pop();
      if (inodes.isDirectory(slot)) {
        for (int entry : entries(slot)) {
          open.push(entry);
        }
      } else if (isNeeded(slot, spot.slot())) {
        StorePath at = StorePath.of(tree.path(slot));
        place(slot, at).ifPresent(place -> needed.add(new Copy(inodes.fid(slot), at, place)));
      }
    }
    return needed;
  }

  private boolean isNeeded(int slot, int removed) throws NamespaceException {
    long fid = inodes.fid(slot);
    return inodes.kind(slot) == Kind.COMPLETE
        && mounted.isBelow(slot)
        && isRead(fid)
        && !isKept(slot)
        && !isMadeOfWhatStays(fid, removed);
  }

  /** Whether something is made of a file that may have to be made again. */
  private boolean isRead(long fid) {
    return Arrays.stream(graph.consumers(fid))
        .mapToObj(graph::find)
        .anyMatch(Dependency::needsInputs);
  }

  private boolean isMadeOfWhatStays(long fid, int removed) {
    Producer producer = graph.producer(fid);
    Dependency dependency = producer == null ? null : graph.find(producer.dependency());
    return dependency != null
        && !dependency.isNondeterministic()
        && dependency.recipe().inputs().stream().allMatch(input -> stays(input, removed));
  }

  private boolean stays(Input input, int removed) {
    int slot = input.isOutside() ? InodeTable.NONE : inodes.find(input.fid());
    return input.isOutside()
        || slot != InodeTable.NONE
            && tree.isWithin(slot, InodeTable.ROOT)
            && !tree.isWithin(slot, removed)
            && (mounted.isBelow(slot) || blocks.isWhole(slot));
  }

  /** By its time, too: the copy of another store's file of this id has another name. */
  private Optional<StorePath> place(int slot, StorePath at) throws NamespaceException {
    Optional<Mount> mount = mounted.find(at).map(MountedPath::mount);
    String name = "%s-%x".formatted(Fid.text(inodes.fid(slot)), mounted.below(slot).modifiedMs());
    return mount.isEmpty() ? Optional.empty() : Optional.of(directory(mount.get()).child(name));
  }

  private static StorePath directory(Mount mount) throws NamespaceException {
    return StorePath.of(mount.path()).child(DIRECTORY);
  }

  /** Whether a file is kept already. */
  private boolean isKept(int slot) throws NamespaceException {
    int parent = inodes.parent(slot);
    if (inodes.isDirectory(slot) || !tree.name(parent).equals(DIRECTORY)) {
      return false;
    }
    StorePath at = StorePath.of(tree.path(slot));
    Optional<Mount> mount = mounted.find(at).map(MountedPath::mount);
    return mount.isPresent()
        && tree.name(slot).startsWith(Fid.text(inodes.fid(slot)))
        && tree.path(parent).equals(directory(mount.get()).toString());
  }

  /**
   * A file's copy was moved out of sight below, because the file is to be removed: the file goes
   * there, too. One that is there already, or was removed since, is left as it is.
   *
   * @param now what is below at its new place
   */
  public void keep(long fid, Below now, long nowMs) throws NamespaceException {
    int slot = inodes.find(fid);
    boolean isThere = slot != InodeTable.NONE && tree.isWithin(slot, InodeTable.ROOT);
    if (!isThere || !mounted.isBelow(slot) || isKept(slot)) {
      return;
    }
    StorePath place = place(slot, StorePath.of(tree.path(slot))).orElse(null);
    if (place == null || graph.consumers(fid).length == 0) {
      return;
    }
    int owner = inputs.owner(slot);
    int there = directories.find(place);
    int directory =
        there == InodeTable.NONE ? directories.make(place, nowMs) : inodes.parent(there);
    tree.requireDirectory(directory, place, place.depth() - 1);
    directories.own(directory);
    if (there != InodeTable.NONE) {
      tree.detach(there, nowMs); // seen below before this was heard of
      doomed.add(there);
    }
    uses.forget(slot);
    tree.move(slot, directory, place.last(), nowMs);
    tree.own(slot, owner, KeptInputs.MODE);
    mounted.moved(slot, InodeTable.NONE);
    mounted.movedBelow(place, now);
  }

  /**
   * Some files that are kept and that nothing needs any more.
   *
   * @param most how many of each mount, at most
   */
  public List<Copy> spare(int most) throws NamespaceException {
    List<Copy> spare = new ArrayList<>();
    for (Mount mount : mounted.mounts()) {
      StorePath directory = directory(mount);
      int slot = directories.find(directory);
      boolean isThere = slot != InodeTable.NONE && inodes.isDirectory(slot);
      int left = most;
      for (int entry : isThere ? entries(slot) : new int[0]) {
        boolean isSpare = left > 0 && !isRead(inodes.fid(entry)) && isKept(entry);
        if (isSpare) {
          StorePath path = directory.child(tree.name(entry));
          spare.add(new Copy(inodes.fid(entry), path, path));
          left--;
        }
      }
    }
    return spare;
  }

  private int[] entries(int directory) {
    Directory entries = tree.entries(directory);
    return entries.after(FIRST, entries.size());
  }
}
