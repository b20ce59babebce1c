package dev.sailfish.blockstore.file;

import java.io.Closeable;
import java.io.IOException;

/** Makes pages of one file exist. For one thread. */
public interface PageMaker extends Closeable {
  /**
   * Makes pages of [from, to) exist, in bytes, from the beginning: as many as take a fraction of a
   * millisecond. What was not written there reads as zeros.
   *
   * @param to at most the length of the file
   * @return where they end, behind {@code from}
   * @throws IOException when the file system is full, among others; some of the pages may exist
   */
  long make(long from, long to) throws IOException;

  /**
   * Makes huge pages of [from, to), where no page is yet, as far as the kernel can: it may make
   * none, or less, or small ones. Who writes to a full file system hears of that then.
   *
   * @param from a multiple of {@link #hugeBytes}
   * @param to a multiple of {@link #hugeBytes}, at most the length of the file
   */
  void makeHuge(long from, long to);

  /** How large a huge page is, in bytes; 0 where none can be made. */
  static long hugeBytes() {
    return CollapsedPages.BYTES;
  }
}
