package dev.sailfish.lineage.hadoop;

/** Which size of block a file gets: a power of two from 64 KiB to 1 GiB. */
final class BlockSize {
  private static final int SMALLEST_LOG = 16;
  private static final int LARGEST_LOG = 30;

  private BlockSize() {}

  /**
   * The size that takes the place of a wanted one: the next power of two that is not smaller, or
   * the smallest or largest there is.
   *
   * @param wanted in bytes, more than 0
   * @return log2 of the size in bytes
   */
  static int log(long wanted) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(wanted - 1);
    return Math.min(LARGEST_LOG, Math.max(SMALLEST_LOG, log));
  }
}
