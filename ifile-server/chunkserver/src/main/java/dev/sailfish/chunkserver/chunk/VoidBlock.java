package dev.sailfish.chunkserver.chunk;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import java.nio.ByteBuffer;

/**
 * Makes a void block of room whose block is not there, so that a chunk can be read on behind it.
 */
public final class VoidBlock {
  private static final byte[] ZEROS = new byte[64 << 10];

  private VoidBlock() {}

  /**
   * Overwrites the room of a block with zeros and a header that says that there are no records.
   * Magic, mark and stored length of the header that is there stay what they are: who dies in the
   * middle of this hides nothing that stands behind ({@link BlockHeader#markedLength}).
   *
   * @param length of header and stored bytes
   */
  public static void fill(ByteBuffer chunk, int offset, int length, int partition) {
    int start = offset + BlockHeader.LENGTH;
    int end = offset + length;
    for (int at = start; at < end; at += ZEROS.length) {
      chunk.put(at, ZEROS, 0, Math.min(ZEROS.length, end - at));
    }
    int stored = length - BlockHeader.LENGTH;
    BlockHeader.ofVoid(partition, stored, Checksum.of(chunk, start, stored))
        .write(chunk, offset, ChunkHeader.mark(chunk));
  }
}
