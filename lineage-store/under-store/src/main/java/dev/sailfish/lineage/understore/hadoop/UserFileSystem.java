package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A user's file system, opened by the first call that needs it. All of it may hang. */
final class UserFileSystem {
  private static final Logger LOG = LoggerFactory.getLogger(UserFileSystem.class);

  private final Mount mount;
  private final Configuration configuration;
  private final UserGroupInformation user;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile FileSystem opened;

  UserFileSystem(Mount mount, Configuration configuration, UserGroupInformation user) {
    this.mount = mount;
    this.configuration = configuration;
    this.user = user;
  }

  /** What is done with it. */
  @FunctionalInterface
  interface Work<T> {
    T run(FileSystem fileSystem) throws IOException;
  }

  /**
   * Does something as the user.
   *
   * @param what for messages: "reading"
   * @throws IOException an UnderStoreException that says what failed where
   */
  <T> T run(String what, UnderPath path, Work<T> work) throws IOException {
    try {
      return user.doAs((PrivilegedExceptionAction<T>) () -> work.run(fileSystem()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failures.of(what, mount, path, e);
    } catch (IOException | RuntimeException e) {
      throw Failures.of(what, mount, path, e);
    } catch (FSError e) { // what a local file system makes of an error of a disk
      throw Failures.of(what, mount, path, e.getCause());
    }
  }

  /** The same for clearing up: where no file system is open there is nothing to do. */
  void clearUp(UnderPath path, Work<Void> work) {
    if (opened == null) {
      return;
    }
    try {
      run("clearing up", path, work);
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    }
  }

  private FileSystem fileSystem() throws IOException {
    FileSystem fileSystem = opened;
    if (fileSystem != null) {
      return fileSystem;
    }
    try {
      opening.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted: opening " + mount).initCause(e);
    }
    try {
      if (opened == null) {
        opened = open();
      }
      return opened;
    } finally {
      opening.unlock();
    }
  }

  /** A new one: the ones that Hadoop keeps are closed by anybody. */
  private FileSystem open() throws IOException {
    FileSystem fileSystem = FileSystem.newInstance(mount.root(), configuration);
    if (fileSystem instanceof LocalFileSystem local) {
      // The copy has its own checksum; a file of checksums beside it could not be renamed with it.
      local.setWriteChecksum(false);
    }
    return fileSystem;
  }

  void close() {
    try {
      FileSystem fileSystem = opened;
      if (fileSystem != null) {
        fileSystem.close();
      }
    } catch (IOException e) {
      LOG.warn("closing {}", mount, e);
    }
  }
}
