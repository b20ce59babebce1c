package dev.sailfish.chunkserver.recovery;

import dev.sailfish.chunkserver.chunk.HeldBlocks;
import dev.sailfish.chunkserver.chunk.VoidBlock;
import dev.sailfish.format.BlockCursor;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the blocks of a chunk that was not sorted when its process died.
 *
 * <p>Every block that was acknowledged is found. Room is reserved, and the header written to it,
 * under the chunk's lock, one block behind the other; so before a block is reserved, the headers of
 * all blocks before it are there. They may be overwritten later by a void block's, which leaves
 * magic, mark and length as they are, or by another block's when they were the last. So from the
 * chunk's header on, the lengths lead to every block that ever arrived whole, past those that did
 * not. What does not carry the chunk's mark is the end: what is behind it is older.
 *
 * <p>A block counts when the checksums of its header and of its stored bytes are right, once. Some
 * may count that nobody was told of; manifests do not name them. Those that do not count are turned
 * into void blocks when others stand behind them, and are forgotten otherwise.
 */
public final class ChunkScan {
  private final ByteBuffer chunk;
  private final int limit;
  private final BlockCursor cursor;
  private final HeldBlocks held = new HeldBlocks();

  /** Offsets and lengths of blocks behind the last that counts. */
  private final List<int[]> torn = new ArrayList<>();

  private int end = ChunkHeader.LENGTH;
  private int blocks;
  private int voids;
  private long records;
  private long rawBytes;

  private ChunkScan(ByteBuffer chunk, int limit) throws FormatException {
    this.chunk = chunk;
    this.limit = limit;
    this.cursor = new BlockCursor(chunk, limit);
  }

  /**
   * Scans a chunk and makes it readable from block to block.
   *
   * @param chunk from its header on; written to where a block is torn
   * @param limit where the readable bytes end
   * @throws FormatException when it has no good header, or blocks of a newer format
   */
  public static ChunkScan of(ByteBuffer chunk, int limit) throws FormatException {
    ChunkScan scan = new ChunkScan(chunk, limit);
    scan.run();
    return scan;
  }

  private void run() throws FormatException {
    int at = cursor.position();
    while (cursor.skipMarked()) {
      if (counts(at)) {
        fillTorn();
        end = cursor.position();
      } else {
        torn.add(new int[] {at, cursor.position() - at});
      }
      at = cursor.position();
    }
  }

  private boolean counts(int at) throws UnsupportedFormatException {
    BlockHeader block;
    try {
      PlacedBlock placed = PlacedBlock.read(chunk, at, limit);
      placed.checkStored(chunk);
      block = placed.header();
    } catch (UnsupportedFormatException e) {
      throw e;
    } catch (FormatException e) {
      return false;
    }
    boolean first =
        header().takes(block) && held.add(block.map(), block.attempt(), block.sequence());
    if (first) {
      blocks++;
      records += block.records();
      rawBytes += block.rawLength();
    }
    return first;
  }

  private void fillTorn() {
    for (int[] room : torn) {
      VoidBlock.fill(chunk, room[0], room[1], header().partition(), ChunkHeader.mark(chunk));
      voids++;
    }
    torn.clear();
  }

  /** What the chunk is. */
  public ChunkHeader header() {
    return cursor.chunkHeader();
  }

  /** Where its blocks end. */
  public int end() {
    return end;
  }

  /** How many blocks count. */
  int blocks() {
    return blocks;
  }

  /** How many void blocks stand between them. */
  int voids() {
    return voids;
  }

  /** Which blocks count. */
  public HeldBlocks held() {
    return held;
  }

  /** Records in them. */
  public long records() {
    return records;
  }

  /** Their bytes before compression. */
  public long rawBytes() {
    return rawBytes;
  }
}
