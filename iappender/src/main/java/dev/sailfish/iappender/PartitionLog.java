package dev.sailfish.iappender;

import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the blocks of one partition go and went. */
final class PartitionLog {
  final int partition;

  /** How many blocks the partition has. */
  int blocks;

  private long records;
  private long recordBytes;
  private long checksum;
  private long rawBytes;

  /** The chunk that acknowledged the block of each sequence; 0 = none yet. */
  private long[] chunks = new long[4];

  // The chunk that new blocks go to. Null link: none; then these are what was given back.

  /** The server that new blocks go to, or null. */
  AppendLink link;

  /** The chunk that new blocks go to, or went to before it was given back; 0 = none. */
  long chunk;

  /** The encoded request that new blocks are sent with. */
  byte[] request;

  /** Whether the chunk was given back because it takes no more. */
  boolean full;

  // Blocks on their way, all to the same chunk.
  private int sentCount;
  private long sentChunk;

  PartitionLog(int partition) {
    this.partition = partition;
  }

  /** Counts the records of a block. */
  void count(int blockRecords, long bytes, long sum) {
    records += blockRecords;
    recordBytes += bytes;
    checksum += sum;
  }

  /** Counts a new block and returns its sequence. */
  int add(int blockBytes) {
    rawBytes += blockBytes;
    if (blocks == chunks.length) {
      chunks = Arrays.copyOf(chunks, 2 * blocks);
    }
    return blocks++;
  }

  /** New blocks go to this chunk. */
  void bind(AppendLink newLink, AppendRequest newRequest) {
    link = newLink;
    request = newRequest.toByteArray();
    chunk = newRequest.getChunk();
  }

  /** New blocks must not go to the present chunk any more. */
  void unbind(boolean chunkFull) {
    link = null;
    request = null;
    full = chunkFull;
  }

  /**
   * Whether a block may be sent to the present chunk now: not while answers of the chunk before are
   * missing, so that blocks which that refused go before those that follow.
   */
  boolean inOrder() {
    return sentCount == 0 || sentChunk == chunk;
  }

  /** A block is on its way to the present chunk. */
  void sent() {
    sentCount++;
    sentChunk = chunk;
  }

  /** A block is not on its way any more. */
  void answered() {
    sentCount--;
  }

  /** A block is held by a chunk. Only the first acknowledgement of a block counts. */
  void acknowledged(int sequence, long holder) {
    if (chunks[sequence] == 0) {
      chunks[sequence] = holder;
    }
  }

  /** Whether the chunk holds blocks of this partition. */
  boolean holds(long holder) {
    for (int i = 0; i < blocks; i++) {
      if (chunks[i] == holder) {
        return true;
      }
    }
    return false;
  }

  /** What was written; all blocks must have been acknowledged. */
  PartitionManifest manifest() {
    Map<Long, ChunkBlocks.Builder> byChunk = new LinkedHashMap<>();
    int first = 0;
    for (int i = 1; i <= blocks; i++) {
      if (i < blocks && chunks[i] == chunks[first]) {
        continue;
      }
      if (chunks[first] == 0) {
        throw new IllegalStateException(
            "block was not acknowledged: partition=" + partition + " sequence=" + first);
      }
      ChunkBlocks.Builder builder = byChunk.get(chunks[first]);
      if (builder == null) {
        builder = ChunkBlocks.newBuilder().setChunk(chunks[first]);
        byChunk.put(chunks[first], builder);
      }
      builder.addSequences(first).addSequences(i - first);
      first = i;
    }
    PartitionManifest.Builder manifest =
        PartitionManifest.newBuilder()
            .setPartition(partition)
            .setRecords(records)
            .setRecordBytes(recordBytes)
            .setChecksum(checksum)
            .setRawBytes(rawBytes);
    for (ChunkBlocks.Builder builder : byChunk.values()) {
      manifest.addBlocks(builder.build());
    }
    return manifest.build();
  }
}
