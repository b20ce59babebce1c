package dev.sailfish.benchmarks.limited;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * {@code limited:///PATH}: the local file of this path, as if a link of so many bytes a second were
 * between, one direction for what is read and one for what is written. Names, lengths and renames
 * are for nothing. Thread-safe, as the local file system is.
 *
 * <pre>
 *   fs.limited.impl         this class (unless its jar's service file is seen)
 *   fs.limited.rate         bytes a second in each direction: 100m
 *   fs.limited.write.rate   another rate for what is written
 *   fs.limited.burst        bytes that an idle link takes at once: 1m
 *   fs.limited.link         a local file: the processes that name it share one link;
 *                           without it each process has its own
 * </pre>
 */
public final class LimitedFileSystem extends RawLocalFileSystem {
  /** As in {@code limited:///tmp}. */
  public static final String SCHEME = "limited";

  private static final URI ROOT = URI.create(SCHEME + ":///");

  private Link reads;
  private Link writes;

  /** As Hadoop makes it. */
  public LimitedFileSystem() {
    // The link is known when it is initialized.
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return ROOT;
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    if (uri.getAuthority() != null) {
      throw new IOException(
          uri + " names a host, and " + SCHEME + " is of local files: write " + ROOT + "PATH");
    }
    LinkKey link = LinkKey.of(conf);
    reads = link.reads();
    writes = link.writes();
    super.initialize(uri, conf);
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    return new FSDataInputStream(new LimitedInput(super.open(file, bufferSize), reads));
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    return new FSDataInputStream(new LimitedInput(super.open(handle, bufferSize), reads));
  }

  /** The local file system's own would look for the owner of a file of another scheme. */
  @Override
  public FileStatus getFileStatus(Path file) throws IOException {
    File local = pathToFile(file);
    PosixFileAttributes known;
    try {
      known = Files.readAttributes(local.toPath(), PosixFileAttributes.class);
    } catch (NoSuchFileException e) {
      FileNotFoundException missing = new FileNotFoundException("File " + file + " does not exist");
      missing.initCause(e);
      throw missing;
    }
    return new FileStatus(
        known.isDirectory() ? 0 : known.size(),
        known.isDirectory(),
        1,
        getDefaultBlockSize(file),
        known.lastModifiedTime().toMillis(),
        known.lastAccessTime().toMillis(),
        FsPermission.valueOf("-" + PosixFilePermissions.toString(known.permissions())),
        known.owner().getName(),
        known.group().getName(),
        makeQualified(new Path(local.getPath())));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return pathToFile(path).isFile()
        ? new FileStatus[] {getFileStatus(path)}
        : super.listStatus(path);
  }

  /** Through which all goes that is written. */
  @Override
  protected OutputStream createOutputStreamWithMode(
      Path file, boolean append, FsPermission permission) throws IOException {
    return new LimitedOutput(super.createOutputStreamWithMode(file, append, permission), writes);
  }
}
