package dev.sailfish.metaserver;

import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.util.List;

/**
 * What a manifest says of one partition, unpacked.
 *
 * @param blockAttempt attempt that wrote the blocks
 */
record ManifestEntry(
    int number,
    int blockAttempt,
    long records,
    long recordBytes,
    long rawBytes,
    long checksum,
    List<ChunkBlocks> blocks) {

  /** As an iappender tells it. */
  PartitionManifest partition() {
    return PartitionManifest.newBuilder()
        .setPartition(number)
        .setRecords(records)
        .setRecordBytes(recordBytes)
        .setChecksum(checksum)
        .setRawBytes(rawBytes)
        .addAllBlocks(blocks)
        .build();
  }
}
