package dev.sailfish.blockstore.file;

import java.io.Closeable;
import java.io.IOException;

/** Makes pages of one file exist. For one thread. */
public interface PageMaker extends Closeable {
  /**
   * Makes the pages of [from, to) exist, in bytes; what was not written there reads as zeros.
   *
   * @throws IOException when the file system is full, among others; some of the pages may exist
   */
  void make(long from, long to) throws IOException;
}
