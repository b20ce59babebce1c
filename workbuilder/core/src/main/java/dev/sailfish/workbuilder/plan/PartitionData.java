package dev.sailfish.workbuilder.plan;

import java.util.List;

/**
 * What is known of one partition when all maps have a winner.
 *
 * @param records that the winners wrote, exactly, by their manifests
 * @param rawBytes that they wrote, before compression, exactly
 * @param recordBytes of keys and values, exactly
 * @param checksum of the records
 * @param chunks all that hold blocks of it; looked at only where the partition may have to be split
 * @param keepWhole why it must not be split, or null: bucketed output, encrypted keys, …
 * @param keepApart why it must not be read together with other partitions, or null
 */
public record PartitionData(
    long records,
    long rawBytes,
    long recordBytes,
    long checksum,
    List<ChunkIndex> chunks,
    String keepWhole,
    String keepApart) {
  /** Checks the totals. */
  public PartitionData {
    chunks = List.copyOf(chunks);
    if (records < 0 || rawBytes < 0) {
      throw new IllegalArgumentException(
          "totals must not be negative: records=" + records + " bytes=" + rawBytes);
    }
  }

  /** A partition of which nothing is promised, nor refused. */
  public PartitionData(long records, long rawBytes, List<ChunkIndex> chunks) {
    this(records, rawBytes, 0, 0, chunks, null, null);
  }
}
