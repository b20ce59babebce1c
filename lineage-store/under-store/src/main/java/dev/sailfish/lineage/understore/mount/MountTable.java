package dev.sailfish.lineage.understore.mount;

import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All mounts of a lineage store. A path belongs to the mount whose path is its longest beginning:
 * what the under store of a mount further up has there is hidden. Each file below is at one path of
 * the lineage store at most. Immutable.
 */
public final class MountTable {
  /** Where two ways to write a place are known to be the same one. */
  private static final Map<String, Integer> DEFAULT_PORTS = Map.of("hdfs", 8020);

  private final TreeMap<String, Mount> byPath = new TreeMap<>();
  private final Map<String, Mount> byRoot = new HashMap<>();

  /**
   * Checks them.
   *
   * @throws IllegalArgumentException two are at one path; or what is below one is below another one
   *     too, and its files would be at two paths
   */
  public MountTable(Collection<Mount> mounts) {
    for (Mount mount : mounts) {
      Mount other = byPath.put(mount.path(), mount);
      require(other == null, mount, other, "is at the same path as");
      other = byRoot.put(place(mount.root()), mount);
      require(other == null, mount, other, "has the same files as");
    }
    for (Mount mount : mounts) {
      String above = parent(place(mount.root()));
      require(nearest(above) == null, mount, nearest(above), "has files that are also in");
    }
  }

  private static void require(boolean holds, Mount mount, Mount other, String what) {
    if (!holds) {
      throw new IllegalArgumentException("mount " + mount + " " + what + " mount " + other);
    }
  }

  /** All of them, in order of their paths. */
  public List<Mount> mounts() {
    return List.copyOf(byPath.values());
  }

  /**
   * Where a path is below.
   *
   * @param lineagePath begins with a slash
   * @return empty when nothing is mounted at it or above it
   * @throws UnderStoreException INVALID: it is no path, see {@link UnderPath#of}
   */
  public Optional<MountedPath> find(String lineagePath) throws UnderStoreException {
    if (!lineagePath.startsWith("/")) {
      throw new UnderStoreException(
          Reason.INVALID, "path does not begin with a slash: " + lineagePath);
    }
    UnderPath path = UnderPath.of(lineagePath.substring(1));
    for (UnderPath above = path; ; above = above.parent()) {
      Mount mount = byPath.get("/" + above);
      if (mount != null) {
        String rest = path.text().substring(above.text().length());
        return Optional.of(new MountedPath(mount, UnderPath.of(withoutSlash(rest))));
      }
      if (above.isRoot()) {
        return Optional.empty();
      }
    }
  }

  /**
   * Where a path is below.
   *
   * @throws UnderStoreException INVALID: as {@link #find}; MISSING: nothing is mounted there
   */
  public MountedPath resolve(String lineagePath) throws UnderStoreException {
    Optional<MountedPath> found = find(lineagePath);
    if (found.isEmpty()) {
      throw new UnderStoreException(
          Reason.MISSING,
          "nothing is mounted at or above " + lineagePath + "; mounted are " + byPath.keySet());
    }
    return found.get();
  }

  /**
   * Which path of the lineage store a file below has.
   *
   * @param under absolute; hosts are compared by name, and a port only where it is written or is
   *     HDFS's
   * @return empty when it is of no mount, or hidden by a mount further down
   * @throws UnderStoreException INVALID: it is no path of a file system
   */
  public Optional<MountedPath> reverse(URI under) throws UnderStoreException {
    if (under.getScheme() == null || under.getPath() == null) {
      throw new UnderStoreException(Reason.INVALID, under + " must be scheme://host/path");
    }
    String place = place(under);
    Mount mount = nearest(place);
    if (mount == null) {
      return Optional.empty();
    }
    String rest = withoutSlash(place.substring(place(mount.root()).length()));
    MountedPath path = new MountedPath(mount, UnderPath.of(rest));
    return find(path.lineagePath()).filter(path::equals);
  }

  /** The mount at a place or above it; null when there is none. */
  private Mount nearest(String place) {
    for (String at = place; !at.isEmpty(); at = parent(at)) {
      Mount mount = byRoot.get(at);
      if (mount != null) {
        return mount;
      }
    }
    return null;
  }

  /** {@code scheme://host:port/path} without a slash at the end. */
  private static String place(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    String authority = uri.getAuthority() == null ? "" : uri.getAuthority();
    Integer port = DEFAULT_PORTS.get(scheme);
    if (uri.getHost() != null) {
      authority = authority.toLowerCase(Locale.ROOT);
      authority += port != null && uri.getPort() < 0 ? ":" + port : "";
    }
    String path = uri.getPath();
    return scheme + "://" + authority + (path.endsWith("/") ? withoutLast(path) : path);
  }

  private static String withoutLast(String text) {
    return text.substring(0, text.length() - 1);
  }

  private static String withoutSlash(String rest) {
    return rest.startsWith("/") ? rest.substring(1) : rest;
  }

  /** The place above; empty above a file system's root. */
  private static String parent(String place) {
    int slash = place.lastIndexOf('/');
    return slash < place.indexOf("://") + 3 ? "" : place.substring(0, slash);
  }
}
