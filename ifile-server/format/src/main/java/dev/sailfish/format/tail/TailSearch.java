package dev.sailfish.format.tail;

import java.nio.ByteBuffer;

/** Where a tail may be in the bytes of a chunk, for tools that do not know where the chunk ends. */
public final class TailSearch {
  private TailSearch() {}

  /**
   * Whether a footer seems to begin at an absolute position of a big-endian buffer; {@link
   * ChunkTail#read} tells for sure.
   */
  public static boolean isFooter(ByteBuffer bytes, int offset) {
    return bytes.getLong(offset) == ChunkTail.FOOTER_MAGIC;
  }

  /** The same of the beginning of a tail. */
  public static boolean isTail(ByteBuffer bytes, int offset) {
    int magic = bytes.getInt(offset);
    return magic == ChunkTail.SOURCES_MAGIC || magic == SharedSources.MAGIC;
  }
}
