package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import java.io.IOException;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** What is said of files and directories beside their names and bytes. */
abstract class AttributedFileSystem extends FileSystem {
  /**
   * Changes and reads the tree.
   *
   * @throws IOException when the file system is closed
   */
  abstract NamespaceClient namespace() throws IOException;

  /** How the store calls a file. */
  static String name(Path qualified) {
    return qualified.toUri().getPath();
  }

  // ---- who may what, and when

  @Override
  public void setPermission(Path file, FsPermission permission) throws IOException {
    change(file, path -> namespace().setMode(path, permission.toShort()));
  }

  /**
   * @param owner null: as it is
   * @param group null: as it is
   */
  @Override
  public void setOwner(Path file, String owner, String group) throws IOException {
    String toOwner = owner == null ? "" : owner;
    String toGroup = group == null ? "" : group;
    change(file, path -> namespace().setOwner(path, toOwner, toGroup));
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
      change(file, path -> namespace().setModified(path, modifiedMs));
    }
  }

  /** A change of something that is there. */
  @FunctionalInterface
  private interface Change {
    void of(String path) throws IOException;
  }

  private void change(Path file, Change change) throws IOException {
    statistics.incrementWriteOps(1);
    Path path = makeQualified(file);
    Refusals.lookUp(
        path,
        () -> {
          change.of(name(path));
          return null;
        });
  }

  // ---- how much there may be

  /** From the master, if the directory has a quota; else counted here, with its tree listed. */
  @Override
  public ContentSummary getContentSummary(Path file) throws IOException {
    Path path = makeQualified(file);
    UseResponse use = Refusals.lookUp(path, () -> namespace().use(name(path)));
    return use.getHasQuota() ? Quotas.summary(use) : super.getContentSummary(path);
  }

  /**
   * @param names as HDFS has it: with the directory itself; -1: without a limit; {@link
   *     Long#MAX_VALUE}: as it is
   * @param bytes the same; a byte counts once, however many copies there are
   */
  @Override
  public void setQuota(Path directory, long names, long bytes) throws IOException {
    change(directory, path -> Quotas.set(namespace(), path, names, bytes));
  }
}
