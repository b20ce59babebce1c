package dev.sailfish.chunkserver.recovery;

import dev.sailfish.chunkserver.chunk.HeldBlocks;
import dev.sailfish.chunkserver.chunk.VoidBlock;
import dev.sailfish.format.BlockCursor;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of a chunk that was not sorted when its process died.
 *
 * <p>Every block that was acknowledged is found. Room is reserved, and the header written to it,
 * under the chunk's lock, one block behind the other; so before a block is reserved, the headers of
 * all blocks before it are there. They may be overwritten later by a void block's, which leaves
 * magic, mark and length as they are, or by another block's when they were the last. So from the
 * chunk's header on, the lengths lead to every block that ever arrived whole, past those that did
 * not. What does not carry the chunk's mark is the end: what is behind it is older.
 *
 * <p>A block counts when it has records and the checksums of its header and of its stored bytes are
 * right, once. Some may count that nobody was told of; manifests do not name them. Those that do
 * not count are turned into void blocks when others stand behind them, and are forgotten otherwise.
 *
 * @param header what the chunk is
 * @param held the blocks that count
 * @param voids how many blocks were made void
 * @param end where the blocks end
 */
record ChunkScan(ChunkHeader header, HeldBlocks held, int voids, int end) {
  /**
   * Scans a chunk and makes it readable from block to block.
   *
   * @param chunk from its header on; written to where a block is torn
   * @param limit where the readable bytes end
   * @throws FormatException when it has no good header, or blocks of a newer format
   */
  static ChunkScan of(ByteBuffer chunk, int limit) throws FormatException {
    BlockCursor cursor = new BlockCursor(chunk, limit);
    ChunkHeader header = cursor.chunkHeader();
    HeldBlocks held = new HeldBlocks();
    // Offsets and lengths of blocks after the last that counts.
    List<int[]> torn = new ArrayList<>();
    int voids = 0;
    int end = cursor.position();
    int at = end;
    while (cursor.skipMarked()) {
      if (counts(chunk, at, limit, header, held)) {
        torn.forEach(room -> VoidBlock.fill(chunk, room[0], room[1], header.partition()));
        voids += torn.size();
        torn.clear();
        end = cursor.position();
      } else {
        torn.add(new int[] {at, cursor.position() - at});
      }
      at = cursor.position();
    }
    return new ChunkScan(header, held, voids, end);
  }

  private static boolean counts(
      ByteBuffer chunk, int at, int limit, ChunkHeader header, HeldBlocks held)
      throws UnsupportedFormatException {
    try {
      PlacedBlock block = PlacedBlock.read(chunk, at, limit);
      block.checkStored(chunk);
      return header.takes(block.header())
          && block.header().records() > 0
          && held.add(block.header());
    } catch (UnsupportedFormatException e) {
      throw e;
    } catch (FormatException e) {
      return false;
    }
  }
}
