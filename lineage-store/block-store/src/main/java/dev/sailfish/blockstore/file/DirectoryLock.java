package dev.sailfish.blockstore.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Exclusive hold of a directory, by a lock on its {@code +lock} file that the kernel drops when the
 * process dies. The file holds the owner's process id for the message of the one that is refused.
 *
 * <p>POSIX drops a process's locks on a file when <em>any</em> of its descriptors of that file is
 * closed, so a second attempt in the same process must not even open the file: {@link #HELD} knows
 * the directories of this process.
 */
public final class DirectoryLock implements Closeable {
  static final Set<PosixFilePermission> DIRECTORY_MODE =
      PosixFilePermissions.fromString("rwx------");

  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();
  private static final int ATTEMPTS = 16;
  private static final int PID_DIGITS = 20;

  private final Path directory;
  private final Path file;
  private final FileChannel channel;

  private DirectoryLock(Path directory, Path file, FileChannel channel) {
    this.directory = directory;
    this.file = file;
    this.channel = channel;
  }

  /** Creates the directory (mode 0700) when it is missing, and locks it. */
  public static DirectoryLock acquire(Path configured) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Files.createDirectories(configured, PosixFilePermissions.asFileAttribute(DIRECTORY_MODE));
      requireNotWritableByOthers(configured);
      Path directory = configured.toRealPath();
      if (!HELD.add(directory)) {
        throw refused(directory, pid() + " (this one)");
      }
      DirectoryLock lock = null;
      try {
        lock = tryAcquire(directory);
        if (lock != null) {
          return lock;
        }
      } catch (NoSuchFileException e) {
        // The holder that we raced with closed and removed its directory: create it again.
      } finally {
        if (lock == null) {
          HELD.remove(directory);
        }
      }
    }
    throw new StoreLockedException(
        "directory=" + configured + " keeps being opened and closed by another process");
  }

  /** Its real path. */
  public Path directory() {
    return directory;
  }

  /** Removes the lock file, then lets go. */
  @Override
  public void close() throws IOException {
    try {
      Files.deleteIfExists(file);
    } finally {
      try {
        channel.close();
      } finally {
        HELD.remove(directory);
      }
    }
  }

  /** Null when the lock file was removed or replaced between opening and locking it. */
  private static DirectoryLock tryAcquire(Path directory) throws IOException {
    Path file = directory.resolve(SegmentFileName.LOCK);
    try {
      Files.createFile(file, StoreFiles.OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      // Left by a dead process, or held by a live one: the lock below tells.
    }
    Object before = fileKey(file);
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    DirectoryLock acquired = null;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw refused(directory, ownerOf(channel));
      }
      if (Files.exists(file) && Objects.equals(before, fileKey(file))) {
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(pid()), 0);
        acquired = new DirectoryLock(directory, file, channel);
      }
      return acquired;
    } finally {
      if (acquired == null) {
        channel.close();
      }
    }
  }

  private static Object fileKey(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private static String pid() {
    return Long.toString(ProcessHandle.current().pid());
  }

  private static String ownerOf(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(PID_DIGITS);
    channel.read(text, 0);
    text.flip();
    return text.hasRemaining() ? StandardCharsets.US_ASCII.decode(text).toString() : "unknown";
  }

  private static void requireNotWritableByOthers(Path directory) throws IOException {
    if (Files.getPosixFilePermissions(directory).contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "directory="
              + directory
              + " is writable by every user: give the store a directory of its own (mode 0700)");
    }
  }

  private static StoreLockedException refused(Path directory, String owner) {
    return new StoreLockedException(
        "directory="
            + directory
            + " is in use by another block store, process="
            + owner
            + ": stop it or configure another directory");
  }
}
