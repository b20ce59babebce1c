package dev.sailfish.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, but it sets permissions itself. Hadoop's own, without its native
 * library, starts {@code chmod} for each file: more than a hundred processes for a small job, which
 * cost more than the job. {@code core-site.xml} of these tests makes it that of jobs in this JVM.
 */
public final class PosixLocalFileSystem extends LocalFileSystem {
  /** For Hadoop's reflection. */
  public PosixLocalFileSystem() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      String symbols =
          permission.getUserAction().SYMBOL
              + permission.getGroupAction().SYMBOL
              + permission.getOtherAction().SYMBOL;
      Files.setPosixFilePermissions(
          pathToFile(path).toPath(), PosixFilePermissions.fromString(symbols));
    }
  }
}
