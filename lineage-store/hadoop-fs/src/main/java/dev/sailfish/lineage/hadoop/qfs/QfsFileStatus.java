package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;

/**
 * What the metaserver knows of a file or directory. Its tag tells versions apart that have the same
 * length and the same millisecond. Immutable, as far as Hadoop leaves it so.
 */
final class QfsFileStatus extends FileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;
  private static final int MODE_BITS = 01777;
  private static final int SUPERUSER = 0;

  private final int user;
  private final int group;
  private final long bytes;
  private final long files;
  private final long directories;
  private final boolean isSummed;
  private final String tag;

  private QfsFileStatus(FileInfo info, Path path, QfsNumbers numbers) {
    super(
        info.directory() ? 0 : Math.max(0, info.size()),
        info.directory(),
        info.directory() ? 0 : info.replication(),
        info.directory() ? 0 : ChunkInfo.BYTES,
        TimeUnit.MICROSECONDS.toMillis(info.modifiedUs()),
        0,
        permission(info),
        numbers.userName(info.owner().user()),
        numbers.groupName(info.owner().group()),
        path);
    user = info.owner().user();
    group = info.owner().group();
    bytes = Math.max(0, info.size());
    files = info.directory() ? info.files() : 1;
    directories = info.directory() ? info.directories() + 1 : 0;
    isSummed =
        !info.directory()
            || info.files() != FileInfo.UNKNOWN && info.directories() != FileInfo.UNKNOWN;
    tag = info.id() + "-" + info.modifiedUs();
  }

  private static FsPermission permission(FileInfo info) {
    if (info.mode() == FileInfo.UNKNOWN) {
      return info.directory() ? FsPermission.getDirDefault() : FsPermission.getFileDefault();
    }
    return new FsPermission((short) (info.mode() & MODE_BITS));
  }

  /**
   * @param path of it, with scheme and authority
   */
  static QfsFileStatus of(FileInfo info, Path path, QfsNumbers numbers) {
    return new QfsFileStatus(info, path, numbers);
  }

  /** Whether the three sums that follow are known. */
  boolean isSummed() {
    return isSummed;
  }

  /** Of a file, and of all files below a directory. */
  long bytes() {
    return bytes;
  }

  /** Files below, or the one. */
  long files() {
    return files;
  }

  /** Directories below, with this one. */
  long directories() {
    return directories;
  }

  /** Of a file: its number and the time of its last change, in microseconds. */
  @Override
  public String getEtag() {
    return isDirectory() ? null : tag;
  }

  /**
   * @throws AccessControlException when who asks may not
   */
  void require(QfsNumbers.Caller caller, FsAction mode) throws AccessControlException {
    FsPermission permission = getPermission();
    FsAction permitted = permission.getOtherAction();
    if (caller.user() == SUPERUSER) {
      permitted = FsAction.ALL;
    } else if (caller.user() == user) {
      permitted = permission.getUserAction();
    } else if (caller.group() == group) {
      permitted = permission.getGroupAction();
    }
    if (!permitted.implies(mode)) {
      throw new AccessControlException(
          "user %d of group %d may not access %s for %s: owner=%s group=%s mode=%s"
              .formatted(
                  caller.user(),
                  caller.group(),
                  getPath(),
                  mode,
                  getOwner(),
                  getGroup(),
                  permission));
    }
  }

  /** By the path, as Hadoop has it for all of them. */
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
