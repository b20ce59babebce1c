package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.memory.Unmapping;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Maps files where the processor can map their huge pages whole: at a multiple of their size. The
 * kernel puts a mapping below the one before it, wherever that is; so the first one tells how long
 * a second one has to be for a third one to come right, if no other thread is in between.
 *
 * <pre>
 *       2 MiB         2 MiB         2 MiB
 *   ------+-------------+-------------+-----+
 *         |        third         |second| first |
 *         +-------------+--------+------+-------+
 * </pre>
 */
final class AlignedMapping {
  private static final int HUGE_PAGE = 2 << 20;
  private static final int PAGE = 4096;

  private AlignedMapping() {}

  /**
   * The first bytes of a file, read-only. They are mapped somewhere else if a better place cannot
   * be had.
   */
  static MappedByteBuffer of(FileChannel file, long length) throws IOException {
    MappedByteBuffer first = map(file, length);
    if (length < HUGE_PAGE || isAligned(first)) {
      return first;
    }
    long pages = (length + PAGE - 1) / PAGE * PAGE;
    long between = Math.floorMod(first.alignmentOffset(0, HUGE_PAGE) - pages, (long) HUGE_PAGE);
    MappedByteBuffer second = between == 0 ? null : map(file, between);
    MappedByteBuffer third = map(file, length);
    if (second != null) {
      Unmapping.unmap(second);
    }
    boolean isBetter = isAligned(third);
    Unmapping.unmap(isBetter ? first : third);
    return isBetter ? third : first;
  }

  private static MappedByteBuffer map(FileChannel file, long length) throws IOException {
    return file.map(FileChannel.MapMode.READ_ONLY, 0, length);
  }

  private static boolean isAligned(MappedByteBuffer bytes) {
    return bytes.alignmentOffset(0, HUGE_PAGE) == 0;
  }
}
