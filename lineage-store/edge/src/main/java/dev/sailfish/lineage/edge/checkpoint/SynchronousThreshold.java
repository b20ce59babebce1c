package dev.sailfish.lineage.edge.checkpoint;

/**
 * The size from which on a data set is not kept in memory alone: it goes to the under store while
 * it is written (section 4.1 of the paper, "Dealing with Large Data Sets"), so that it never has to
 * be checkpointed or recomputed.
 *
 * @param bytes the largest data set that is written to memory alone, in bytes; {@link #NEVER}: any
 */
public record SynchronousThreshold(long bytes) {
  /** No data set is too large for memory alone. */
  public static final SynchronousThreshold NEVER = new SynchronousThreshold(Long.MAX_VALUE);

  public SynchronousThreshold {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes are at least 0, not " + bytes);
    }
  }

  /**
   * Whether a data set is written to the under store synchronously.
   *
   * @param dataSetBytes all outputs of the job together, in bytes, as far as that is known
   */
  public boolean isExceededBy(long dataSetBytes) {
    return dataSetBytes > bytes;
  }
}
