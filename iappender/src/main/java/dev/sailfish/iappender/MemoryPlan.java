package dev.sailfish.iappender;

/**
 * How the memory of an iappender is shared out.
 *
 * <pre>
 *   1/2  partition buffers
 *   1/4  unacknowledged blocks (window; at most 8 MiB by default)
 *   1/8  arrays kept for reuse
 *   1/8  what one block needs while it is sorted and compressed
 * </pre>
 *
 * <p>Depends on the configuration and the number of partitions with data only, so that blocks do.
 */
final class MemoryPlan {
  private static final int SMALLEST_BLOCK = 16 << 10;
  private static final int LARGEST_SORTED_BLOCK = 8 << 20;
  private static final int LARGEST_PLAIN_BLOCK = 256 << 10;
  private static final int SMALLEST_BUFFER = 256;
  private static final int LARGEST_FIRST_BUFFER = 4 << 10;

  private final long bufferBytes;
  private final long poolBytes;
  private final int smallestBlock;
  private final int largestBlock;
  private final int firstBuffer;
  private final boolean shared;

  /**
   * @param sorts whether blocks are sorted here: then larger ones are better, and the memory is
   *     shared out among the partitions that really have data
   */
  MemoryPlan(IappenderConfig config, int partitions, boolean sorts) {
    long memory = config.memoryBytes();
    bufferBytes = memory / 2;
    poolBytes = memory / 8;
    shared = sorts;
    long most = Math.max(SMALLEST_BLOCK, memory / 8);
    long wanted = sorts ? LARGEST_SORTED_BLOCK : LARGEST_PLAIN_BLOCK;
    if (config.blockBytes() != 0) {
      wanted = config.blockBytes();
    } else if (!sorts) {
      wanted = Math.min(wanted, Math.max(SMALLEST_BLOCK, bufferBytes / partitions));
    }
    largestBlock = BufferPool.roundDown((int) Math.min(wanted, most));
    smallestBlock = Math.min(SMALLEST_BLOCK, largestBlock);
    long even = bufferBytes / partitions / 2;
    int first = (int) Math.max(SMALLEST_BUFFER, Math.min(LARGEST_FIRST_BUFFER, even));
    firstBuffer = Integer.highestOneBit(Math.min(first, largestBlock));
  }

  /** Bytes of all partition buffers together. */
  long bufferBytes() {
    return bufferBytes;
  }

  /** Bytes of unused arrays that are kept. */
  long poolBytes() {
    return poolBytes;
  }

  /** Length of the first array of a partition. */
  int firstBuffer() {
    return firstBuffer;
  }

  /** Length of the longest array of a partition while {@code active} partitions have data. */
  int blockBytes(int active) {
    if (!shared) {
      return largestBlock;
    }
    long even = Math.max(smallestBlock, Math.min(largestBlock, bufferBytes / Math.max(1, active)));
    return BufferPool.roundDown((int) even);
  }
}
