package dev.sailfish.lineage.understore.mount;

import dev.sailfish.lineage.understore.UnderPath;

/**
 * Where a path of the lineage store is below.
 *
 * @param mount that it belongs to
 * @param path below the mount's root
 */
public record MountedPath(Mount mount, UnderPath path) {

  /** The path of the lineage store that is there. */
  public String lineagePath() {
    if (path.isRoot()) {
      return mount.path();
    }
    return (mount.path().equals("/") ? "" : mount.path()) + "/" + path;
  }

  /** The place below, as people write it: nothing in it is escaped. */
  public String underText() {
    String authority = mount.root().getAuthority();
    return mount.root().getScheme()
        + "://"
        + (authority == null ? "" : authority)
        + mount.root().getPath()
        + path;
  }
}
