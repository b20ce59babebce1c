package dev.sailfish.benchmarks.store;

/**
 * Where a file is read in strides of 1 MiB and a skip: from its beginning to its end, then again
 * from 1 MiB further on, so that pass after pass reads what the ones before have left out. Not
 * thread-safe.
 */
final class Strides {
  private static final long MIB = Pages.MIB;

  private final long bytes;
  private final long stride;
  private long pass;
  private long position;

  /**
   * @param bytes of the file, at least 1 MiB
   * @param skip bytes left out between two reads, 0 or more
   */
  Strides(long bytes, long skip) {
    if (bytes < MIB || skip < 0) {
      throw new IllegalArgumentException(bytes + " bytes cannot be read with a skip of " + skip);
    }
    this.bytes = bytes;
    this.stride = MIB + skip;
  }

  /** Where the next MiB is. */
  long next() {
    if (position + MIB > bytes) {
      pass++;
      position = pass * MIB % stride;
      position = position + MIB > bytes ? 0 : position;
    }
    long now = position;
    position += stride;
    return now;
  }
}
