package dev.sailfish.format;

import java.nio.ByteBuffer;
import java.util.Comparator;

/**
 * A block and where it is in its chunk.
 *
 * @param offset of its header, in bytes
 * @param header what it is
 */
public record PlacedBlock(int offset, BlockHeader header) {
  /** Appended blocks in the order of their sources; copies of one block are equal in it. */
  public static final Comparator<PlacedBlock> BY_SOURCE =
      Comparator.comparingInt((PlacedBlock block) -> block.header.map())
          .thenComparingInt(block -> block.header.attempt())
          .thenComparingInt(block -> block.header.sequence());

  /**
   * Reads the header at an absolute position of a chunk, and checks that the stored bytes are
   * there, too.
   *
   * @param limit where the readable bytes end
   * @throws FormatException corrupt, truncated or too new
   */
  public static PlacedBlock read(ByteBuffer chunk, int offset, int limit) throws FormatException {
    BlockHeader header = BlockHeader.read(chunk, offset, limit);
    if (header.blockLength() > limit - offset) {
      throw new TruncatedFormatException(
          "ends inside a block: offset=%s needed=%s readable=%s"
              .formatted(offset, header.blockLength(), limit - offset));
    }
    return new PlacedBlock(offset, header);
  }

  /** Where its stored bytes begin. */
  public int storedOffset() {
    return offset + BlockHeader.LENGTH;
  }

  /** Where it ends. */
  public int end() {
    return offset + header.blockLength();
  }

  /**
   * Checks its stored bytes against the header.
   *
   * @throws CorruptFormatException naming both checksums when they differ
   */
  public void checkStored(ByteBuffer chunk) throws CorruptFormatException {
    header.checkStored(chunk, storedOffset());
  }
}
