package dev.sailfish.chunksorter;

/**
 * What came of sorting or indexing a chunk; the same numbers as in its tail.
 *
 * @param length of the finished chunk with its tail, in bytes
 * @param tailOffset where the tail begins = where the blocks end
 * @param records in all indexed blocks
 * @param rawBytes of all indexed blocks before compression, with the source ordinals if any
 * @param runs how many sorted runs the chunk holds
 */
public record SortResult(int length, int tailOffset, long records, long rawBytes, int runs) {}
