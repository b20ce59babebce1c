package dev.sailfish.format;

import java.nio.ByteBuffer;

/**
 * Walks over the blocks of a chunk, which stand back to back behind its header: appended or sorted,
 * void ones among them. Reads headers only; who needs the stored bytes checks them. The buffer is
 * big-endian, its absolute position 0 is the chunk's first byte; its own position and limit are
 * neither used nor changed. Not thread-safe.
 */
public final class BlockCursor {
  private final ByteBuffer chunk;
  private final int limit;
  private final ChunkHeader chunkHeader;
  private int position = ChunkHeader.LENGTH;

  /**
   * A cursor before the first block.
   *
   * @param limit where the blocks, or the readable bytes, end
   * @throws FormatException when the chunk's header is corrupt, truncated or too new
   */
  public BlockCursor(ByteBuffer chunk, int limit) throws FormatException {
    this.chunk = chunk;
    this.limit = limit;
    chunkHeader = ChunkHeader.read(chunk, limit);
  }

  /** What the chunk is. */
  public ChunkHeader chunkHeader() {
    return chunkHeader;
  }

  /** Where the next block begins: the end of the last one that was passed. */
  public int position() {
    return position;
  }

  /**
   * Passes the next block.
   *
   * @return null when the blocks have ended, exactly at the limit
   * @throws FormatException when there is no whole block of the chunk's partition; the cursor stays
   */
  public PlacedBlock next() throws FormatException {
    if (position == limit) {
      return null;
    }
    PlacedBlock block = PlacedBlock.read(chunk, position, limit);
    if (block.header().partition() != chunkHeader.partition()) {
      throw new CorruptFormatException(
          "block is of another partition: offset=%s partition=%s expected=%s"
              .formatted(position, block.header().partition(), chunkHeader.partition()));
    }
    position = block.end();
    return block;
  }

  /**
   * Passes the next room that was reserved for a block in a chunk whose process has died: judged by
   * magic, mark and length alone ({@link BlockHeader#markedLength}), whether the block ever became
   * whole or not.
   *
   * @return false where nothing of this chunk follows any more
   */
  public boolean skipMarked() {
    int length = BlockHeader.markedLength(chunk, position, limit, ChunkHeader.mark(chunk));
    position += length;
    return length > 0;
  }
}
