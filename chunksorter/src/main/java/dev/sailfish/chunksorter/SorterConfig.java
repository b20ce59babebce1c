package dev.sailfish.chunksorter;

/**
 * Limits of one {@link ChunkSorter}.
 *
 * @param memoryBytes what its arrays and its scratch space may take; a chunk that needs more
 *     becomes several runs. A single appended block that needs more is sorted nevertheless, one at
 *     a time in a process
 * @param sortedBlockBytes length of the sorted blocks before compression; a record that is longer
 *     gets a block of its own
 */
public record SorterConfig(long memoryBytes, int sortedBlockBytes) {
  /** The shortest sorted blocks that can be asked for, in bytes. */
  public static final int MIN_SORTED_BLOCK_BYTES = 16 * 1024;

  /** The longest sorted blocks that can be asked for, in bytes: how dense an index is promised. */
  public static final int MAX_SORTED_BLOCK_BYTES = 64 * 1024;

  /** Checks the limits. */
  public SorterConfig {
    if (memoryBytes <= 0) {
      throw new IllegalArgumentException("memoryBytes=" + memoryBytes + " is not positive");
    }
    if (sortedBlockBytes < MIN_SORTED_BLOCK_BYTES || sortedBlockBytes > MAX_SORTED_BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "sortedBlockBytes=%s is not between %s and %s"
              .formatted(sortedBlockBytes, MIN_SORTED_BLOCK_BYTES, MAX_SORTED_BLOCK_BYTES));
    }
  }
}
