package dev.sailfish.chunksorter;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.TruncatedFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The blocks of a stable chunk in the order (map, attempt, sequence), each once: a block's position
 * in that order is its source ordinal. A block that was appended twice, because its acknowledgement
 * was lost, counts once; a void block ({@link BlockHeader#ofVoid}) does not count.
 */
final class AppendedBlocks {
  private static final Comparator<Block> ORDER =
      Comparator.comparingInt((Block block) -> block.header.map())
          .thenComparingInt(block -> block.header.attempt())
          .thenComparingInt(block -> block.header.sequence())
          .thenComparingInt(Block::offset);

  private final ByteBuffer chunk;
  private final ChunkHeader chunkHeader;
  private final List<Block> sources;

  /** A block and where its header begins in the chunk. */
  record Block(BlockHeader header, int offset) {
    int storedOffset() {
      return offset + BlockHeader.LENGTH;
    }
  }

  private AppendedBlocks(ByteBuffer chunk, ChunkHeader chunkHeader, List<Block> sources) {
    this.chunk = chunk;
    this.chunkHeader = chunkHeader;
    this.sources = sources;
  }

  /** Reads all block headers of a chunk whose blocks end at {@code length}. */
  static AppendedBlocks read(ByteBuffer bytes, int length) throws FormatException {
    ByteBuffer chunk = whole(bytes);
    ChunkHeader chunkHeader = ChunkHeader.read(chunk, length);
    List<Block> blocks = new ArrayList<>();
    int offset = ChunkHeader.LENGTH;
    while (offset < length) {
      BlockHeader header = readHeader(chunk, chunkHeader, offset, length);
      if (!header.isVoid()) {
        blocks.add(new Block(header, offset));
      }
      offset += header.blockLength();
    }
    blocks.sort(ORDER);
    AppendedBlocks appended = new AppendedBlocks(chunk, chunkHeader, new ArrayList<>());
    appended.addOnce(blocks);
    return appended;
  }

  /** All of {@code buffer}, big-endian, whatever its position, limit and order are. */
  static ByteBuffer whole(ByteBuffer buffer) {
    return buffer.duplicate().clear();
  }

  private static BlockHeader readHeader(
      ByteBuffer chunk, ChunkHeader chunkHeader, int offset, int length) throws FormatException {
    BlockHeader header;
    try {
      header = BlockHeader.read(chunk, offset, length);
    } catch (CorruptFormatException e) {
      throw damaged("chunk=" + chunkHeader.chunkId() + ": " + e.getMessage(), e);
    }
    if (header.blockLength() > length - offset) {
      throw new TruncatedFormatException(
          "chunk ends inside a block: "
              + where(chunkHeader, header, offset)
              + " needed="
              + header.blockLength()
              + " readable="
              + (length - offset));
    }
    boolean appended = !header.tagged() && header.map() >= 0 && header.attempt() >= 0;
    boolean plain = !header.encrypted();
    if (!(appended && plain != chunkHeader.encrypted() || header.isVoid() && plain)
        || header.partition() != chunkHeader.partition()) {
      throw new CorruptFormatException(
          "block does not belong into this chunk: "
              + where(chunkHeader, header, offset)
              + " flags="
              + header.flags()
              + " encrypted chunk="
              + chunkHeader.encrypted()
              + " block partition="
              + header.partition());
    }
    return header;
  }

  private void addOnce(List<Block> blocks) throws CorruptFormatException {
    for (Block block : blocks) {
      Block last = sources.isEmpty() ? null : sources.get(sources.size() - 1);
      if (last == null || !sameSource(last.header, block.header)) {
        sources.add(block);
      } else if (!last.header.equals(block.header)) {
        throw new CorruptFormatException(
            "two different blocks have one identity: "
                + where(block)
                + " other offset="
                + last.offset
                + " checksum="
                + Integer.toHexString(block.header.storedChecksum())
                + " other checksum="
                + Integer.toHexString(last.header.storedChecksum()));
      }
    }
  }

  private static boolean sameSource(BlockHeader left, BlockHeader right) {
    return left.map() == right.map()
        && left.attempt() == right.attempt()
        && left.sequence() == right.sequence();
  }

  /** All of the chunk, big-endian. */
  ByteBuffer chunk() {
    return chunk;
  }

  ChunkHeader chunkHeader() {
    return chunkHeader;
  }

  int count() {
    return sources.size();
  }

  Block get(int source) {
    return sources.get(source);
  }

  /** The sources from {@code from} to before {@code to} as they lie in the chunk. */
  IntStream byOffset(int from, int to) {
    return IntStream.range(from, to)
        .boxed()
        .sorted(Comparator.comparingInt(source -> sources.get(source).offset))
        .mapToInt(Integer::intValue);
  }

  /** Whether the records of any block are not as they are in the chunk: compressed, encrypted. */
  boolean encoded() {
    return chunkHeader.encrypted()
        || sources.stream().anyMatch(block -> block.header.codec() != CodecId.NONE);
  }

  /** Checks the stored bytes of {@code block} against its checksum. */
  void verify(Block block) throws CorruptFormatException {
    try {
      block.header.checkStored(chunk, block.storedOffset());
    } catch (CorruptFormatException e) {
      throw damaged(block, e);
    }
  }

  /** The same error with chunk, offset and identity of the block it was found in. */
  CorruptFormatException damaged(Block block, CorruptFormatException cause) {
    return damaged(where(block) + ": " + cause.getMessage(), cause);
  }

  /** Where {@code block} is and who appended it, as {@code name=value}. */
  String where(Block block) {
    return where(chunkHeader, block.header, block.offset);
  }

  private static CorruptFormatException damaged(String message, CorruptFormatException cause) {
    CorruptFormatException damaged = new CorruptFormatException(message);
    damaged.initCause(cause);
    return damaged;
  }

  private static String where(ChunkHeader chunk, BlockHeader block, int offset) {
    return "job="
        + chunk.job()
        + " partition="
        + chunk.partition()
        + " chunk="
        + chunk.chunkId()
        + " offset="
        + offset
        + " map="
        + block.map()
        + " attempt="
        + block.attempt()
        + " sequence="
        + block.sequence();
  }
}
