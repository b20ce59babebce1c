package dev.sailfish.blockstore;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * One file with one mapping over its whole capacity. The file is as long as its warm pages: it
 * grows by {@link #touch} and shrinks by {@link #truncate}, under the mapping, which lives on until
 * it is garbage collected.
 *
 * <p>{@link #promised}, {@link #claimed} and {@link #warm} belong to the {@link StoreDirectory} and
 * are guarded by its monitor. The path and the descriptors are changed by one owner at a time: the
 * segment that has the file (under the segment's lock), or the directory once the file is pooled.
 *
 * <p>All writing goes through a {@link RandomAccessFile}, because an interrupt closes a channel,
 * and a segment must survive the interrupt of a thread that happens to grow it.
 */
final class BackingFile {
  private static final byte[] ZEROS = new byte[1 << 16];

  /** Bytes from the start that the owner may write; a multiple of the page size. */
  long promised;

  /** Bytes from the start that are accounted as used, although not all of them are promised yet. */
  long claimed;

  /** Bytes from the start whose pages exist; at least {@link #promised} unless growing. */
  long warm;

  private final long capacity;
  private final RandomAccessFile file;
  private final ByteBuffer mapping;
  private Path path;
  private FileChannel reader;
  private boolean unlinked;

  private BackingFile(Path path, long capacity, RandomAccessFile file, ByteBuffer mapping) {
    this.path = path;
    this.capacity = capacity;
    this.file = file;
    this.mapping = mapping;
  }

  /** Creates an empty file, mode 0600, mapped over {@code capacity} bytes. */
  static BackingFile create(Path path, long capacity) throws IOException {
    Files.createFile(path, PosixFilePermissions.asFileAttribute(DirectoryLock.FILE_MODE));
    boolean created = false;
    try {
      BackingFile file = open(path, capacity);
      created = true;
      return file;
    } finally {
      if (!created) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** Maps an existing file over its whole length, which becomes its capacity. */
  static BackingFile existing(Path path, long length) throws IOException {
    return open(path, length);
  }

  private static BackingFile open(Path path, long capacity) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    boolean mapped = false;
    try {
      long length = file.length();
      ByteBuffer mapping = map(path.toFile(), capacity);
      if (length < capacity) {
        file.setLength(length); // mapping made the file as long as the mapping
      }
      mapped = true;
      return new BackingFile(path, capacity, file, mapping);
    } finally {
      if (!mapped) {
        file.close();
      }
    }
  }

  private static ByteBuffer map(File file, long capacity) throws IOException {
    if (capacity == 0) {
      return ByteBuffer.allocateDirect(0);
    }
    boolean interrupted = Thread.interrupted();
    try (RandomAccessFile mapped = new RandomAccessFile(file, "rw")) {
      return mapped.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, capacity);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Mapped bytes. */
  long capacity() {
    return capacity;
  }

  Path path() {
    return path;
  }

  /** A fresh view of the first {@code length} bytes. */
  ByteBuffer slice(long length) {
    return mapping.slice(0, Math.toIntExact(length));
  }

  /**
   * Makes the pages of [from, to) exist by writing zeros, which is also the fastest first touch.
   */
  void touch(long from, long to) throws IOException {
    long end = Math.min(to, capacity);
    file.seek(from);
    for (long at = from; at < end; at += ZEROS.length) {
      file.write(ZEROS, 0, (int) Math.min(ZEROS.length, end - at));
    }
  }

  /** Gives back all pages from {@code length} on; the mapping must not be used there any more. */
  void truncate(long length) throws IOException {
    if (file.length() > length) {
      file.setLength(length);
    }
  }

  long length() throws IOException {
    return file.length();
  }

  void force() throws IOException {
    file.getFD().sync();
  }

  void rename(Path target) throws IOException {
    Files.move(path, target);
    path = target;
  }

  /** A channel for reading, shared by all callers; opened again when an interrupt has closed it. */
  FileChannel channel() throws IOException {
    if (isUnlinked()) {
      throw new IOException("file=" + path + " was deleted with its store");
    }
    if (reader == null || !reader.isOpen()) {
      reader = FileChannel.open(path, StandardOpenOption.READ);
    }
    return reader;
  }

  /** Closes the shared channel, so that a stale user cannot read what the file holds next. */
  void closeChannel() throws IOException {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }

  private synchronized boolean isUnlinked() {
    return unlinked;
  }

  /**
   * Removes the file's name, once; the content lives on in the mapping. Synchronized because a
   * store that closes does it for files that readers may be giving back at the same moment.
   */
  synchronized void unlink() throws IOException {
    if (!unlinked) {
      unlinked = true;
      Files.deleteIfExists(path);
    }
  }

  /** Closes the descriptors; the mapping stays until it is garbage collected. */
  void close() throws IOException {
    try {
      closeChannel();
    } finally {
      file.close();
    }
  }
}
