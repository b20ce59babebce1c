package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountTable;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is mounted where. */
final class Mounts {
  private static final int MOST = 1000;
  private static final int LONGEST = 16 << 10;

  private MountTable table = new MountTable(List.of());

  boolean isEmpty() {
    return table.mounts().isEmpty();
  }

  List<Mount> all() {
    return table.mounts();
  }

  /**
   * Where a path is below; empty when nothing is mounted at it or above, or it is the cluster's.
   */
  Optional<MountedPath> find(String path) throws NamespaceException {
    try {
      return isEmpty() || ClusterDirectories.has(path) ? Optional.empty() : table.find(path);
    } catch (UnderStoreException e) {
      throw new NamespaceException(Reason.INVALID, e.getMessage());
    }
  }

  /** Reads a mount, and checks that it can be added to those that are there. */
  Mount requireMountable(String text) throws NamespaceException {
    if (text.length() > LONGEST || all().size() == MOST) {
      throw new NamespaceException(
          Reason.INVALID,
          "a mount has at most %d characters, and there are at most %d: characters=%d mounts=%d"
              .formatted(LONGEST, MOST, text.length(), all().size()));
    }
    try {
      Mount mount = Mount.parse(text);
      if (ClusterDirectories.has(mount.path())) {
        throw new NamespaceException(
            Reason.INVALID,
            "nothing can be mounted at %s: %s is for what lineage needs"
                .formatted(mount.path(), ClusterDirectories.ROOT));
      }
      with(mount);
      return mount;
    } catch (IllegalArgumentException e) {
      throw new NamespaceException(Reason.INVALID, e.getMessage());
    }
  }

  private MountTable with(Mount mount) {
    List<Mount> mounts = new ArrayList<>(all());
    mounts.add(mount);
    return new MountTable(mounts);
  }

  /** Adds a mount that can be added. */
  void add(Mount mount) {
    table = with(mount);
  }

  /** Whether something is mounted in a directory, at any depth. */
  boolean areIn(String path) {
    return all().stream().anyMatch(mount -> mount.path().startsWith(path + "/"));
  }

  /** Throws unless something is mounted at a path itself. */
  void require(String path) throws NamespaceException {
    if (all().stream().noneMatch(mount -> mount.path().equals(path))) {
      throw new NamespaceException(Reason.NOT_FOUND, "nothing is mounted at " + path);
    }
  }

  /** Removes the mount at a path, if there is one. */
  void remove(String path) {
    table = new MountTable(all().stream().filter(mount -> !mount.path().equals(path)).toList());
  }

  /**
   * Something is to go or to be moved: no mount may be at it or in it.
   *
   * @param what for instance "removed"
   */
  void requireNoneIn(String path, String what) throws NamespaceException {
    for (Mount mount : all()) {
      String at = mount.path();
      boolean isIn = path.equals("/") || at.equals(path) || at.startsWith(path + "/");
      if (isIn) {
        throw new NamespaceException(
            Reason.INVALID, "%s cannot be %s: unmount %s first".formatted(path, what, mount));
      }
    }
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(all().size());
    for (Mount mount : all()) {
      out.writeUTF(mount.text());
    }
  }

  void read(DataInputStream in) throws IOException {
    List<Mount> mounts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      mounts.add(Mount.parse(in.readUTF()));
    }
    table = new MountTable(mounts);
  }
}
