package dev.sailfish.format.tail;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.Ordering;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What is different in the source table of a file that holds several chunks: each source ends with
 * the id of the chunk that it was appended to. {@link ChunkTail} draws the table.
 */
final class SharedSources {
  /** Version of the footer. */
  static final int VERSION = 3;

  /** What the table begins with. */
  static final int MAGIC = 0x53465332;

  /** Where the id of the chunk is in a source. */
  static final int CHUNK = ChunkTail.SOURCE_LENGTH;

  /** Length of a source in bytes. */
  static final int LENGTH = CHUNK + Long.BYTES;

  private SharedSources() {}

  /**
   * The chunks that sources name, ascending.
   *
   * @throws CorruptFormatException when a file with such sources would not hold several chunks
   */
  static long[] chunks(ByteBuffer sources, Ordering ordering) throws CorruptFormatException {
    long[] ids = new long[sources.capacity() / LENGTH];
    for (int source = 0; source < ids.length; source++) {
      ids[source] = sources.getLong(source * LENGTH + CHUNK);
    }
    Arrays.sort(ids);
    int count = 0;
    for (long id : ids) {
      if (count == 0 || ids[count - 1] != id) {
        ids[count++] = id;
      }
    }
    if (count < 2 || ordering == Ordering.COMPARATOR) {
      throw new CorruptFormatException(
          "file of several chunks is out of bounds: chunks=%s ordering=%s"
              .formatted(count, ordering));
    }
    return Arrays.copyOf(ids, count);
  }
}
