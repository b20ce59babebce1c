package dev.sailfish.iappender;

import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.io.IOException;

/**
 * Partitions whose output an earlier attempt of the map has committed and that is still held: this
 * attempt makes their records once more and counts them, but appends none. So a map that runs again
 * because a chunk was lost appends only what was lost. That holds only for a map that makes the
 * same records each time; {@link #checkRepeated} finds out.
 */
final class HeldPartitions {
  private final HeldPartition[] told;
  private final long[] records;
  private final long[] recordBytes;
  private final long[] checksums;

  /** How many partitions are held. */
  final int count;

  /** What the metaserver said; most attempts are told of none, and need no such object. */
  HeldPartitions(CreateIfilesResponse response, int partitions) {
    told = new HeldPartition[partitions];
    records = new long[partitions];
    recordBytes = new long[partitions];
    checksums = new long[partitions];
    count = response.getHeldCount();
    for (int i = 0; i < count; i++) {
      HeldPartition partition = response.getHeld(i);
      told[partition.getPartition()] = partition;
    }
  }

  boolean contains(int partition) {
    return told[partition] != null;
  }

  /**
   * Counts records of a held partition.
   *
   * @param bytes of their normalized keys and values
   * @param checksum sum of their {@link dev.sailfish.format.RecordChecksum}
   */
  void count(int partition, int number, long bytes, long checksum) {
    records[partition] += number;
    recordBytes[partition] += bytes;
    checksums[partition] += checksum;
  }

  /**
   * Compares what was made with what is held.
   *
   * @throws IOException when a partition has other records than the earlier attempt's
   */
  void checkRepeated(MapAttempt attempt) throws IOException {
    for (int i = 0; i < told.length; i++) {
      HeldPartition earlier = told[i];
      if (earlier != null
          && (earlier.getRecords() != records[i]
              || earlier.getRecordBytes() != recordBytes[i]
              || earlier.getChecksum() != checksums[i])) {
        throw new IOException(
            ("the map makes other records each time it runs, so that those an earlier attempt"
                    + " appended cannot stand for this one's; the next attempt appends all of them: %s"
                    + " partition=%s records=%s bytes=%s, of attempt=%s records=%s bytes=%s")
                .formatted(
                    attempt,
                    i,
                    records[i],
                    recordBytes[i],
                    earlier.getAttempt(),
                    earlier.getRecords(),
                    earlier.getRecordBytes()));
      }
    }
  }

  /** Adds them to the manifest. */
  void addTo(CommitManifestRequest.Builder manifest) {
    for (int i = 0; i < told.length; i++) {
      if (told[i] != null) {
        manifest.addPartitions(
            PartitionManifest.newBuilder()
                .setPartition(i)
                .setRecords(records[i])
                .setRecordBytes(recordBytes[i])
                .setChecksum(checksums[i])
                .setHeldBy(told[i].getAttempt() + 1)
                .build());
      }
    }
  }
}
