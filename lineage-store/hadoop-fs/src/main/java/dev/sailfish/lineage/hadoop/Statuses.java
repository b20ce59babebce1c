package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.net.URI;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** What the master knows of a file, in Hadoop's words. */
final class Statuses {
  private static final int KNOWN_MODE = 01777;

  private Statuses() {}

  /**
   * Of a file or directory. Reading leaves no trace, so that nobody knows when it was read last.
   *
   * @param path of it, with scheme and authority
   */
  static FileStatus of(FileEntry entry, Path path) {
    return new FileStatus(
        entry.getLength(),
        entry.getDirectory(),
        entry.getDirectory() ? 0 : 1,
        entry.getBlockSize(),
        entry.getModifiedMs(),
        0,
        new FsPermission((short) (entry.getMode() & KNOWN_MODE)),
        entry.getOwner(),
        entry.getGroup(),
        path);
  }

  /**
   * Of an entry of a directory.
   *
   * @param directory its path, with scheme and authority
   */
  static FileStatus in(Path directory, FileEntry entry) {
    URI uri = directory.toUri();
    String above = directory.isRoot() ? "" : uri.getPath();
    // Not as a child's path, in which a colon ends a scheme.
    Path path = new Path(uri.getScheme(), uri.getAuthority(), above + "/" + entry.getName());
    return of(entry, path);
  }
}
