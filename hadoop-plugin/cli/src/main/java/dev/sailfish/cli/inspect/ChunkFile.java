package dev.sailfish.cli.inspect;

import dev.sailfish.format.BlockCursor;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.TruncatedFormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexedBlockCursor;
import dev.sailfish.format.tail.TailSearch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The structure of one chunk file, in whatever state the chunk is: its header, the blocks that can
 * be found, its tail if it is SORTED, and what stopped the reader. No block's content is read yet.
 *
 * <p>A file may be longer than its chunk: a chunkserver's files are grown in steps, rounded up to
 * pages and reused, so that behind the chunk there may be zeros or the content of an earlier chunk.
 * Only an OPEN or STABLE chunk does not say where it ends.
 *
 * <p>The file is mapped; it must not be cut while this object is in use. Not thread-safe.
 */
public final class ChunkFile {
  private static final int NONE = -1;

  private final Path path;
  private final ByteBuffer bytes;
  private final ChunkHeader header;
  private final List<PlacedBlock> blocks = new ArrayList<>();
  private int blocksEnd = ChunkHeader.LENGTH;
  private FormatException stop;
  private ChunkTail tail;
  private int tailOffset = NONE;
  private int end;
  private FormatException tailDamage;
  private FormatException damage;
  private boolean sorted;

  private ChunkFile(Path path, ByteBuffer bytes) throws FormatException {
    this.path = path;
    this.bytes = bytes;
    BlockCursor cursor = new BlockCursor(bytes, bytes.capacity());
    header = cursor.chunkHeader();
    readBlocks(cursor);
    readTail();
    judgeEnd();
  }

  /**
   * Reads the structure of a file.
   *
   * @throws FormatException when not even the chunk's header can be read
   * @throws IOException when the file cannot be read
   */
  public static ChunkFile open(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      long length = channel.size();
      if (length > Integer.MAX_VALUE) {
        throw new IOException(
            "file is too long for a chunk: length=" + length + " limit=" + Integer.MAX_VALUE);
      }
      return new ChunkFile(path, channel.map(FileChannel.MapMode.READ_ONLY, 0, length));
    }
  }

  private void readBlocks(BlockCursor cursor) {
    try {
      for (PlacedBlock block = cursor.next(); block != null; block = cursor.next()) {
        blocks.add(block);
      }
    } catch (FormatException e) {
      stop = e;
    }
    blocksEnd = cursor.position();
  }

  /**
   * Finds the tail: the one after the last block, else the last one in the file that fits. An
   * appended chunk with normalized keys has none; what looks like one is of an earlier chunk.
   */
  private void readTail() {
    end = bytes.capacity();
    if (header.ordering() == Ordering.NORMALIZED && !blocks.isEmpty() && !isTagged()) {
      return;
    }
    int least = ChunkHeader.LENGTH + ChunkTail.FOOTER_LENGTH;
    for (int candidate = bytes.capacity(); candidate >= least; candidate--) {
      if (TailSearch.isFooter(bytes, candidate - ChunkTail.FOOTER_LENGTH)) {
        tryTail(candidate);
      }
      if (tail != null && tailOffset == blocksEnd) {
        return;
      }
    }
  }

  private void tryTail(int candidate) {
    try {
      int offset = ChunkTail.locate(bytes, candidate);
      boolean fits = offset == blocksEnd;
      if (!fits && (tail != null || offset < blocksEnd)) {
        return;
      }
      ChunkTail read = ChunkTail.read(bytes, candidate);
      if (fits || isOfThisChunk(read)) {
        tail = read;
        tailOffset = offset;
        end = candidate;
        sorted = true;
      }
    } catch (FormatException e) {
      tailDamage = tailDamage == null ? e : tailDamage;
    }
  }

  /** Whether the index of a tail that does not follow the last good block knows the first block. */
  private boolean isOfThisChunk(ChunkTail candidate) throws FormatException {
    if (blocks.isEmpty()) {
      return candidate.ordering() == header.ordering();
    }
    IndexedBlockCursor first = BlockRecords.blocksOf(bytes, blocks.get(0));
    boolean any = first.next();
    for (int entry = 0; any && entry < candidate.entries(); entry++) {
      if (candidate.entryOffset(entry) == first.block().offset()) {
        return candidate.entryLength(entry) == first.block().header().blockLength();
      }
    }
    return false;
  }

  /** Tells damage from what may stand behind a chunk. */
  private void judgeEnd() {
    if (tail != null) {
      damage = tailOffset == blocksEnd ? null : stop;
    } else if (isTagged() || beginsWithATail() || tailDamage != null) {
      sorted = true;
      damage = tailDamage != null ? tailDamage : missingTail();
    } else {
      end = blocksEnd;
      damage = beginsWithABlock() || stop != null && isFollowed() ? stop : null;
    }
  }

  private FormatException missingTail() {
    boolean block = stop instanceof TruncatedFormatException || beginsWithABlock();
    return block || stop != null && isFollowed()
        ? stop
        : new TruncatedFormatException(
            "sorted blocks without a whole tail behind them: offset=%s length=%s"
                .formatted(blocksEnd, bytes.capacity()));
  }

  private boolean isTagged() {
    return !blocks.isEmpty() && blocks.get(0).header().tagged();
  }

  private boolean beginsWithATail() {
    return bytes.capacity() - blocksEnd >= Integer.BYTES && TailSearch.isTail(bytes, blocksEnd);
  }

  /** Whether a block of this chunk, as far as one can tell, begins behind the good ones. */
  private boolean beginsWithABlock() {
    if (bytes.capacity() - blocksEnd < Integer.BYTES || !BlockHeader.isBlock(bytes, blocksEnd)) {
      return false;
    }
    try {
      BlockHeader block = BlockHeader.read(bytes, blocksEnd, bytes.capacity());
      return block.partition() == header.partition();
    } catch (FormatException e) {
      return true; // and it is damaged
    }
  }

  /**
   * Whether the first good block behind the gap is of this chunk's partition. Blocks that an
   * earlier chunk left in the same file mostly are not.
   */
  private boolean isFollowed() {
    for (int at = blocksEnd + 1; at <= bytes.capacity() - BlockHeader.LENGTH; at++) {
      if (BlockHeader.isBlock(bytes, at)) {
        try {
          BlockHeader block = BlockHeader.read(bytes, at, bytes.capacity());
          return block.partition() == header.partition();
        } catch (FormatException e) {
          continue; // only looks like the start of a block
        }
      }
    }
    return false;
  }

  /** Where the file is. */
  public Path path() {
    return path;
  }

  /** The chunk's header. */
  public ChunkHeader header() {
    return header;
  }

  /** All of the file, big-endian; not to be changed. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** The blocks from the first to the last that can be found without a gap, by offset. */
  List<PlacedBlock> blocks() {
    return Collections.unmodifiableList(blocks);
  }

  /** End of {@link #blocks}, exclusive. */
  int blocksEnd() {
    return blocksEnd;
  }

  /** Whether the chunk is SORTED, with or without a readable tail. */
  boolean isSorted() {
    return sorted;
  }

  /** The tail, or null when the chunk has none or it cannot be read. */
  ChunkTail tail() {
    return tail;
  }

  /**
   * What is wrong with the structure: a block that cannot be found where one must be, or a tail
   * that cannot be read. Null when nothing is.
   */
  FormatException damage() {
    return damage;
  }

  /** How many bytes of the file are behind the chunk. */
  int trailingBytes() {
    return bytes.capacity() - end;
  }

  /** Whether all bytes behind the chunk are zero: room that was never written. */
  boolean trailingZeros() {
    for (int at = end; at < bytes.capacity(); at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
