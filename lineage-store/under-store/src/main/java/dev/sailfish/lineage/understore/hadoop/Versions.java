package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderFile.Ownership;
import dev.sailfish.lineage.understore.UnderPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;

/**
 * What tells versions of a file apart, beside length and time. HDFS's times are milliseconds, S3's
 * are seconds: a file can be replaced by one of its length meanwhile.
 *
 * <pre>
 *   S3A and others with entity tags    the tag
 *   HDFS                               inode and time: what its path handles are made of
 *   local                              inode, and time in nanoseconds
 * </pre>
 */
final class Versions {
  private static final String LOCAL = "file";
  private static final String LOCAL_ATTRIBUTES = "unix:ino,lastModifiedTime,owner,group,mode";

  private Versions() {}

  static boolean isLocal(FileSystem fileSystem) {
    return LOCAL.equals(fileSystem.getUri().getScheme());
  }

  /** Where a file of a local file system is. */
  static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  /** The file of a status; asks a local file system once more. */
  static UnderFile file(FileSystem fileSystem, UnderPath path, FileStatus status)
      throws IOException {
    if (isLocal(fileSystem)) {
      return local(path, status);
    }
    Ownership ownership =
        new Ownership(status.getOwner(), status.getGroup(), status.getPermission().toShort());
    return file(path, status, tag(fileSystem, status), ownership);
  }

  private static UnderFile file(
      UnderPath path, FileStatus status, String tag, Ownership ownership) {
    boolean directory = status.isDirectory();
    return new UnderFile(
        path,
        directory,
        directory ? 0 : status.getLen(),
        status.getModificationTime(),
        directory ? "" : tag,
        ownership);
  }

  /** Hadoop would start a process to learn whose the file is, where its native library is not. */
  private static UnderFile local(UnderPath path, FileStatus status) throws IOException {
    Map<String, Object> known = Files.readAttributes(local(status.getPath()), LOCAL_ATTRIBUTES);
    long time = ((FileTime) known.get("lastModifiedTime")).to(TimeUnit.NANOSECONDS);
    Ownership ownership =
        new Ownership(
            known.get("owner").toString(),
            known.get("group").toString(),
            (int) known.get("mode") & 07777);
    return file(path, status, known.get("ino") + "-" + time, ownership);
  }

  private static String tag(FileSystem fileSystem, FileStatus status) {
    if (status instanceof EtagSource source && source.getEtag() != null) {
      return source.getEtag();
    }
    return handle(fileSystem, status);
  }

  /** Without asking: HDFS makes it of the status; other file systems have none, or refuse. */
  private static String handle(FileSystem fileSystem, FileStatus status) {
    try {
      byte[] handle = fileSystem.getPathHandle(status, HandleOpt.content()).toByteArray();
      return Base64.getEncoder().withoutPadding().encodeToString(handle);
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return "";
    }
  }
}
