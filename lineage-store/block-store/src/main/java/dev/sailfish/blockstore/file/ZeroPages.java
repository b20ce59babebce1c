package dev.sailfish.blockstore.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Makes pages by writing zeros, which each file system can. What was written there is lost. */
final class ZeroPages implements PageMaker {
  private static final byte[] ZEROS = new byte[1 << 16];

  private final StoreFiles files;
  private final RandomAccessFile file;
  private final Path path;

  /**
   * @param file stays open; its position changes
   */
  ZeroPages(StoreFiles files, RandomAccessFile file, Path path) {
    this.files = files;
    this.file = file;
    this.path = path;
  }

  @Override
  public long make(long from, long to) throws IOException {
    int count = (int) Math.min(ZEROS.length, to - from);
    file.seek(from);
    files.write(file, path, ZEROS, count);
    return from + count;
  }

  @Override
  public void makeHuge(long from, long to) {
    // Zeros are in small pages.
  }

  @Override
  public void close() {
    // The file is its owner's.
  }
}
