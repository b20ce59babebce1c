package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Room in an OPEN chunk for one block that is arriving. Used by the I/O thread of its connection
 * only; ended, once, by {@link Chunk#complete} or {@link Chunk#abandon}. Holds a reference to the
 * segment, so that deleting the chunk meanwhile does not pull the memory away.
 */
public final class Reservation {
  private final BlockHeader block;
  private final Segment segment;
  private final int offset;
  private final ByteBuffer bytes;
  private final CRC32C checksum = new CRC32C();
  private int written;

  /**
   * Retains the segment, and writes the block's header to its place: it must be there before
   * anything is reserved behind it, so that a scan finds what is behind.
   *
   * @param offset of the block in the chunk; everything up to its end is ensured
   */
  Reservation(BlockHeader block, Segment segment, int offset) {
    segment.retain();
    this.block = block;
    this.segment = segment;
    this.offset = offset;
    this.bytes = segment.buffer();
    block.write(bytes, offset, ChunkHeader.mark(bytes));
  }

  public BlockHeader block() {
    return block;
  }

  int offset() {
    return offset;
  }

  /** Where the block ends in the chunk. */
  int end() {
    return offset + block.blockLength();
  }

  /**
   * Copies the next stored bytes to their place; the only copy of them. The checksum is taken of
   * the copy, while it is in the cache.
   *
   * @param piece from position to limit; both are moved past what was taken
   */
  public void write(ByteBuffer piece) {
    int length = piece.remaining();
    if (length > block.storedLength() - written) {
      throw new IllegalStateException(
          "block overruns: stored=%s written=%s piece=%s"
              .formatted(block.storedLength(), written, length));
    }
    int at = offset + BlockHeader.LENGTH + written;
    bytes.put(at, piece, piece.position(), length);
    piece.position(piece.limit());
    checksum.update(bytes.limit(at + length).position(at));
    bytes.clear();
    written += length;
  }

  /** Whether all bytes have arrived. */
  public boolean isComplete() {
    return written == block.storedLength();
  }

  /** CRC32C of what has arrived. */
  public int checksum() {
    return (int) checksum.getValue();
  }

  /**
   * Turns the reserved room into a void block: one that says it has no records, with zeros behind
   * its header, so that the chunk stays readable from block to block.
   */
  void fillWithVoid() {
    VoidBlock.fill(bytes, offset, block.blockLength(), block.partition());
  }

  /** Gives the reference to the segment back. */
  void release() {
    segment.release();
  }
}
