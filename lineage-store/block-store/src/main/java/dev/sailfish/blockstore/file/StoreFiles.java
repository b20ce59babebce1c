package dev.sailfish.blockstore.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The port through which a store changes files and names; what it maps it reads and writes without
 * it. Each call is one step that a crash may follow. Thread-safe; failures are I/O errors that name
 * the file or leave that to the caller.
 */
public interface StoreFiles {
  /** The file systems of this machine. */
  StoreFiles LOCAL = new StoreFiles() {};

  /** Of a file that only this user may read and write. */
  FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Creates an empty file, mode 0600; fails when there is one of this name. */
  default void create(Path file) throws IOException {
    Files.createFile(file, OWNER_ONLY);
  }

  /** Writes the first {@code length} bytes at the file's position; all of them or an error. */
  default void write(RandomAccessFile file, Path path, byte[] bytes, int length)
      throws IOException {
    file.write(bytes, 0, length);
  }

  /**
   * What makes pages of a file exist that have nothing in them yet.
   *
   * @param file stays its owner's; its position may change
   */
  default PageMaker pages(RandomAccessFile file, Path path) throws IOException {
    return AllocatedPages.of(path, new ZeroPages(this, file, path));
  }

  /** Cuts or extends a file to {@code length} bytes. */
  default void resize(RandomAccessFile file, Path path, long length) throws IOException {
    file.setLength(length);
  }

  /** Returns when the content written so far has reached the device. */
  default void force(RandomAccessFile file, Path path) throws IOException {
    file.getFD().sync();
  }

  /** Returns when the names given and removed in the directory so far have reached the device. */
  default void forceNames(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Renames a file, atomically; both names are in one directory. */
  default void rename(Path from, Path to) throws IOException {
    Files.move(from, to);
  }

  /**
   * Removes a name when it is there; processes that have the file mapped or open keep its content.
   */
  default void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }
}
