package dev.sailfish.chunkserver.chunk;

import dev.sailfish.format.BlockHeader;

/**
 * The blocks of a chunk that room was taken for and not given back, whether they have arrived or
 * not, as their headers say. Guarded by the chunk's lock.
 */
final class ReservedBlocks {
  private int blocks;
  private long records;
  private long rawBytes;

  void add(BlockHeader block) {
    blocks++;
    records += block.records();
    rawBytes += block.rawLength();
  }

  void remove(BlockHeader block) {
    blocks--;
    records -= block.records();
    rawBytes -= block.rawLength();
  }

  /** Whether there may be no more. */
  boolean isFull() {
    return blocks >= ChunkSpec.MAX_BLOCKS;
  }

  /** Their bytes before compression. */
  long rawBytes() {
    return rawBytes;
  }

  /**
   * The bytes that a chunk with one more block needs, with the room for its sort.
   *
   * @param end of that block in the chunk
   */
  long neededWith(BlockHeader block, ChunkSpec spec, long end) {
    return end
        + spec.sortRoom(blocks + 1, records + block.records(), rawBytes + block.rawLength(), end);
  }
}
