package dev.sailfish.format;

/**
 * The layout of a <em>run</em>: an appended block with flag {@link BlockHeader#FLAG_RUN}, whose
 * stored bytes are blocks again, in the order of their keys, each with its first key before it.
 *
 * <pre>
 *   stored bytes of the block with flag RUN
 *    0           2
 *   +-----------+-----------+-------+-----------+-----------+-------+-----
 *   | key length| first key | block | key length| first key | block | ...
 *   +-----------+-----------+-------+-----------+-----------+-------+-----
 *    \________ one block of the run ________/
 * </pre>
 *
 * <p>So a server finds first keys without decompressing, and a reader takes some of the blocks. A
 * run is appended, acknowledged and counted as one block; its blocks are compressed and checksummed
 * one by one. They have partition, map, attempt and sequence of the run, and its records and bytes
 * together. First keys are cut to {@link #MAX_KEY_LENGTH} bytes.
 *
 * <p>A block of a run has {@link #BLOCK_BYTES} of records at most, if it is not a single record;
 * two that follow each other have more together. So the room that an index of the run takes is
 * known from the length of its records.
 */
public final class RunDescriptor {
  /** First keys are kept up to this length, here and in the index of a chunk. */
  public static final int MAX_KEY_LENGTH = 256;

  /**
   * The most bytes of records in a block of a run, before compression; a longer record is alone.
   */
  public static final int BLOCK_BYTES = 64 << 10;

  /** The key length of a block without a first key in an index. */
  public static final int NO_KEY = -1;

  /** Bytes before the key. */
  public static final int KEY_OFFSET = Short.BYTES;

  /** The most bytes that a run has beside the stored bytes of one of its blocks. */
  public static final int MAX_OVERHEAD = KEY_OFFSET + MAX_KEY_LENGTH + BlockHeader.LENGTH;

  private RunDescriptor() {}

  /** How many blocks runs have at most. */
  public static long mostBlocks(long runs, long rawBytes) {
    return runs + 2 * (rawBytes / BLOCK_BYTES);
  }

  /** How many bytes a run of {@code rawLength} bytes of records has at most beside them. */
  public static int mostOverhead(int rawLength) {
    return (int) mostBlocks(1, rawLength) * MAX_OVERHEAD;
  }
}
