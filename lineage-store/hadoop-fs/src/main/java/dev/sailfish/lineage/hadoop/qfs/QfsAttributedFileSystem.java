package dev.sailfish.lineage.hadoop.qfs;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** What is said of files and directories beside their names and bytes. Thread-safe. */
abstract class QfsAttributedFileSystem extends QfsTreeFileSystem {
  private static final int MODE_BITS = 01777;

  /** Who asks. */
  abstract QfsNumbers.Caller caller();

  /** A change of something that is there. */
  @FunctionalInterface
  private interface Change {
    void of(String path) throws IOException;
  }

  private void change(Path file, Change change) throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    QfsRefusals.lookUp(
        path,
        () -> {
          change.of(name(path));
          return null;
        });
  }

  @Override
  public void setPermission(Path file, FsPermission permission) throws IOException {
    change(file, path -> meta().setMode(path, permission.toShort() & MODE_BITS));
  }

  /**
   * @param owner name or number; null: as it is
   * @param group name or number; null: as it is
   */
  @Override
  public void setOwner(Path file, String owner, String group) throws IOException {
    int toUser = owner == null ? QfsNumbers.NONE : numbers().user(owner);
    int toGroup = group == null ? QfsNumbers.NONE : numbers().group(group);
    change(file, path -> meta().setOwner(path, toUser, toGroup));
  }

  /**
   * @param modifiedMs in milliseconds since 1970; -1: as it is
   * @param readMs is not kept
   */
  @Override
  public void setTimes(Path file, long modifiedMs, long readMs) throws IOException {
    if (modifiedMs == -1) {
      getFileStatus(file);
    } else {
      change(file, path -> meta().setModified(path, TimeUnit.MILLISECONDS.toMicros(modifiedMs)));
    }
  }

  /**
   * @param replication copies that each chunk is to have, some time from now
   * @return false: it is a directory
   */
  @Override
  public boolean setReplication(Path file, short replication) throws IOException {
    if (getFileStatus(file).isDirectory()) {
      return false;
    }
    change(file, path -> meta().setReplication(path, replication));
    return true;
  }

  /** Of a directory by one question, where the metaserver keeps the sums of what is below. */
  @Override
  public ContentSummary getContentSummary(Path file) throws IOException {
    QfsFileStatus status = getFileStatus(file);
    if (!status.isSummed()) {
      return super.getContentSummary(file);
    }
    return new ContentSummary.Builder()
        .length(status.bytes())
        .spaceConsumed(status.bytes())
        .fileCount(status.files())
        .directoryCount(status.directories())
        .build();
  }

  /** Checks for the user who made this file system, not for the thread that asks. */
  @Override
  public void access(Path file, FsAction mode) throws IOException {
    getFileStatus(file).require(caller(), mode);
  }

  /** The chunks that have bytes of a part of a file, as wholes, and the hosts that have them. */
  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    if (file == null) {
      return null;
    }
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException("there is no start=" + start + " length=" + length);
    }
    if (file.isDirectory() || file.getLen() <= start || length == 0) {
      return new BlockLocation[0];
    }
    statistics.incrementReadOps(1);
    Path path = makeQualified(file.getPath());
    long end = start + Math.min(length, file.getLen() - start);
    return QfsRefusals.lookUp(
        path,
        () ->
            ChunkHosts.of(
                client().locations(name(path), start, end - start), start, end, file.getLen()));
  }
}
