package dev.sailfish.lineage.hadoop;

import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** {@code hanging://x/path}: the local file system, of which calls hang while a test wants it. */
public final class HangingFileSystem extends RawLocalFileSystem {
  private static volatile CountDownLatch gate = new CountDownLatch(0);

  private URI uri = URI.create("hanging:///");

  /** From now on calls hang. */
  static void hang() {
    gate = new CountDownLatch(1);
  }

  /** Calls go on. */
  static void letGo() {
    gate.countDown();
  }

  @Override
  public void initialize(URI name, Configuration conf) throws java.io.IOException {
    super.initialize(URI.create("file:///"), conf);
    uri = URI.create("hanging://" + name.getHost());
  }

  @Override
  public String getScheme() {
    return "hanging";
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  protected void checkPath(Path path) {}

  @Override
  public Path makeQualified(Path path) {
    return path;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws java.io.IOException {
    CountDownLatch now = gate;
    boolean isOpen = false;
    while (!isOpen) {
      try {
        isOpen = now.await(1, TimeUnit.HOURS);
      } catch (InterruptedException e) {
        isOpen = false; // as one does that hangs in the kernel
      }
    }
    FileStatus status = super.getFileStatus(path);
    // Owner and mode: the local file system would look for them at a path that is not its own.
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        1,
        status.getBlockSize(),
        status.getModificationTime(),
        0,
        status.isDirectory() ? FsPermission.getDirDefault() : FsPermission.getFileDefault(),
        "owner",
        "group",
        status.getPath());
  }
}
