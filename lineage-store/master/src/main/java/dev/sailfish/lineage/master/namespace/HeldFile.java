package dev.sailfish.lineage.master.namespace;

import java.util.List;

/**
 * A complete file, and where its blocks are.
 *
 * @param length in bytes
 * @param count how many blocks it has
 * @param blocks those that a worker has that lives, in their order
 */
public record HeldFile(
    long fid, long length, long blockSize, int count, List<BlockCopies> blocks, boolean isBelow) {
  /** How long one of its blocks is, in bytes. */
  public long lengthOf(int block) {
    return Math.min(blockSize, length - block * blockSize);
  }
}
