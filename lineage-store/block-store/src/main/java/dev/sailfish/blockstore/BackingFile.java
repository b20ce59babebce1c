package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.PageMaker;
import dev.sailfish.blockstore.file.SegmentFileName;
import dev.sailfish.blockstore.file.StoreFiles;
import dev.sailfish.ground.memory.Unmapping;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * One file with one mapping over its whole capacity, made when it is first asked for. The file is
 * as long as its warm pages; it grows and shrinks under the mapping, which lives on until it is
 * garbage collected.
 *
 * <pre>
 *   0                 used         warm                 capacity
 *   +-----------------+------------+--------------------+
 *   | of the segment  | to reclaim | no pages: a fault  |       while nothing is claimed
 *   +-----------------+------------+--------------------+
 *   |&lt;---------- the file --------&gt;|
 *   |&lt;-------------------- the mapping ----------------&gt;|
 * </pre>
 *
 * <p>{@link #used}, {@link #warm} and {@link #account} belong to the {@link SpaceLedger} and are
 * guarded by the directory's monitor. The name and the descriptors are changed by one owner at a
 * time: the segment that has the file (under the segment's lock), or the directory once the file is
 * pooled.
 *
 * <p>All writing goes through a {@link RandomAccessFile}, because an interrupt closes a channel,
 * and a segment must survive the interrupt of a thread that happens to grow it.
 */
final class BackingFile {
  private static final int PIECE = 1 << 16;
  private static final AtomicLong FREE_NUMBERS = new AtomicLong();

  /**
   * Bytes from the start that are accounted for the segment, in whole pages; more than are warm
   * while it grows, or has claimed room.
   */
  long used;

  /** Bytes from the start whose pages exist. */
  long warm;

  /** Whose used bytes it counts among; null while it is pooled. */
  SpaceLedger.Account account;

  /** Whose old bytes are in it while it is pooled. */
  SpaceLedger.Account former;

  final StoreDirectory directory;
  private final StoreFiles files;
  private final long capacity;
  private final RandomAccessFile file;
  private volatile ByteBuffer mapping;
  private Path path;
  private SegmentFileName.Kind kind;
  private boolean shared;
  private FileChannel reader;
  private boolean unlinked;

  /** An existing file that can hold {@code capacity} bytes, which may be more than it has. */
  BackingFile(StoreDirectory directory, Path path, long capacity) throws IOException {
    this.directory = directory;
    this.files = directory.files();
    this.capacity = capacity;
    this.file = new RandomAccessFile(path.toFile(), "rw");
    named(path);
  }

  /** Creates an empty file, mode 0600, that can hold {@code capacity} bytes. */
  static BackingFile create(StoreDirectory directory, Path path, long capacity) throws IOException {
    directory.files().create(path);
    try {
      return new BackingFile(directory, path, capacity);
    } catch (IOException | RuntimeException | Error e) {
      directory.files().delete(path);
      throw e;
    }
  }

  /** Opens the file once more: an interrupt while it is mapped closes that descriptor. */
  private synchronized ByteBuffer map() throws IOException {
    if (mapping != null || capacity == 0) {
      return mapping == null ? ByteBuffer.allocateDirect(0) : mapping;
    }
    long length = file.length();
    boolean interrupted = Thread.interrupted();
    try (RandomAccessFile opened = new RandomAccessFile(path.toFile(), "rw")) {
      mapping = opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, capacity);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      if (file.length() > length) {
        files.resize(file, path, length); // mapping made the file as long as the mapping
      }
    }
    return mapping;
  }

  /** Bytes that can be mapped. */
  long capacity() {
    return capacity;
  }

  Path path() {
    return path;
  }

  /** Whether its name says that it is of no segment. */
  boolean isFree() {
    return kind == SegmentFileName.Kind.FREE;
  }

  /** Whether other processes may read or write it: it is only unlinked, for good. */
  boolean isShared() {
    return shared;
  }

  /** A fresh view of the first {@code length} bytes. */
  ByteBuffer slice(long length) throws IOException {
    ByteBuffer all = mapping;
    return (all == null ? map() : all).slice(0, Math.toIntExact(length));
  }

  /** Makes the file so long, at least; the kernel takes huge pages within that. */
  void lengthen(long length) throws IOException {
    long end = Math.min(length, capacity);
    if (file.length() < end) {
      files.resize(file, path, end);
    }
  }

  /** Makes the pages of [from, to) exist, after the file was lengthened. */
  void touch(long from, long to) throws IOException {
    long end = Math.min(to, capacity);
    lengthen(end);
    try (PageMaker pages = pages()) {
      for (long at = from; at < end; at = pages.make(at, end)) {
        // One piece after the other.
      }
    }
  }

  /** As the directory's; of a lent file it makes the pages of what is new, if they can be huge. */
  boolean claim(long length) throws IOException {
    long from = usedNow();
    boolean isClaimed = directory.claim(this, length);
    if (isClaimed) {
      makeHuge(from, length);
    }
    return isClaimed;
  }

  private long usedNow() {
    synchronized (directory) {
      return used;
    }
  }

  /** Makes huge pages for all that is claimed of a lent file, before anything is written. */
  boolean makeHuge() throws IOException {
    return makeHuge(0, usedNow());
  }

  /** Returns false where there are none: then another process gets pages as it writes. */
  private boolean makeHuge(long from, long to) throws IOException {
    long huge = PageMaker.hugeBytes();
    boolean isLent = kind == SegmentFileName.Kind.LENT;
    if (huge == 0 || !isLent || directory.tier() != Tier.MEMORY) {
      return false;
    }
    long start;
    synchronized (directory) {
      start = Math.max(from / huge, (warm + huge - 1) / huge) * huge;
    }
    long end = Math.min(to, capacity) / huge * huge;
    if (start < end) {
      lengthen(end);
      try (PageMaker pages = pages()) {
        pages.makeHuge(start, end);
      }
    }
    return true;
  }

  /** What makes its pages exist; closed by the caller. */
  PageMaker pages() throws IOException {
    return files.pages(file, path);
  }

  /** Writes the content, up to its limit, to the start of the file. */
  void write(ByteBuffer content) throws IOException {
    byte[] piece = new byte[PIECE];
    file.seek(0);
    while (content.hasRemaining()) {
      int length = Math.min(piece.length, content.remaining());
      content.get(piece, 0, length);
      files.write(file, path, piece, length);
    }
  }

  /** Bytes [from, from + count) of the file, through its own descriptor. */
  byte[] read(long from, int count) throws IOException {
    byte[] bytes = new byte[count];
    file.seek(from);
    file.readFully(bytes);
    return bytes;
  }

  /**
   * Gives back all pages from {@code length} on; the mapping must not be used there any more. Does
   * nothing to a shared file: another process that reads there would die of it.
   */
  void truncate(long length) throws IOException {
    if (!shared && file.length() > length) {
      files.resize(file, path, length);
    }
  }

  long length() throws IOException {
    return file.length();
  }

  /** CRC32C of the first {@code length} bytes. */
  int crc32c(long length) throws IOException {
    CRC32C crc = new CRC32C();
    crc.update(slice(length));
    return (int) crc.getValue();
  }

  /** Checks its length, and its content when there is a checksum, against a seal. */
  void requireIntact(SegmentFileName seal) throws IOException {
    if (length() < seal.length()) {
      throw tooShort(seal, length());
    }
    int actual = seal.checksum().isPresent() ? crc32c(seal.length()) : 0;
    int expected = seal.checksum().orElse(0);
    if (actual != expected) {
      throw new DamagedSegmentException(
          seal.segment(),
          path,
          String.format("expectedCrc32c=%08x actualCrc32c=%08x", expected, actual));
    }
  }

  DamagedSegmentException tooShort(SegmentFileName seal, long actual) {
    return new DamagedSegmentException(
        seal.segment(), path, "sealedLength=" + seal.length() + " fileLength=" + actual);
  }

  void force() throws IOException {
    files.force(file, path);
  }

  /** Renames it, so that after a crash it counts as deleted. */
  void markFree() throws IOException {
    rename(nextFreeName());
  }

  /** The name of a file that is of no segment. */
  static String nextFreeName() {
    return SegmentFileName.free(FREE_NUMBERS.getAndIncrement());
  }

  synchronized void rename(String fileName) throws IOException {
    Path target = path.resolveSibling(fileName);
    files.rename(path, target);
    named(target);
  }

  private void named(Path now) {
    path = now;
    kind = SegmentFileName.kindOf(now.getFileName().toString());
    switch (kind) {
      case SHARED, LENT -> shared = true;
      case SEALED -> shared = false;
      default -> {} // what others may have open stays so
    }
  }

  /** A channel for reading, shared by all callers; opened again when an interrupt has closed it. */
  synchronized FileChannel channel() throws IOException {
    if (unlinked) {
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

  /**
   * Removes the file's name, once; the content lives on in the mapping. Synchronized because a
   * store that closes does it for files that readers may be giving back at the same moment.
   */
  synchronized void unlink() throws IOException {
    if (!unlinked) {
      unlinked = true;
      files.delete(path);
    }
  }

  /**
   * Closes the descriptors. The mapping stays until it is garbage collected; that of a shared file
   * ends now, because it keeps pages that cannot be given back in another way.
   */
  void close() throws IOException {
    if (shared && mapping != null) {
      Unmapping.unmap(mapping); // or the garbage collector does
    }
    try {
      closeChannel();
    } finally {
      file.close();
    }
  }
}
