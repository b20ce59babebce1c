package dev.sailfish.blockstore.file;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Huge pages in a {@code tmpfs} that is mounted without them, as {@code /dev/shm} is, by {@code
 * madvise(2)} with {@code MADV_COLLAPSE} (Linux 6.1): the kernel completes a piece of which one
 * page is there to a huge page. That takes a third of the time of small pages; who writes, reads or
 * maps the piece then takes half of it, or less. Where the memory is in too many pieces, or the
 * system does not allow it, they stay small.
 */
final class CollapsedPages {
  private static final Path SIZE = Path.of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");

  /** Larger ones, as some processors have, are more than is needed at once. */
  private static final long LARGEST = 4 << 20;

  /** How large a huge page is; 0 where none can be made. */
  static final long BYTES = CLibrary.IS_LOADED ? bytes() : 0;

  private CollapsedPages() {}

  private static long bytes() {
    try {
      long bytes = Long.parseLong(Files.readString(SIZE).strip());
      return bytes <= LARGEST ? bytes : 0;
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }

  /**
   * Makes huge pages of pieces that have a page each. They are mapped for that, where an address is
   * a multiple of their size.
   *
   * @param from a multiple of {@link #BYTES}
   * @param count a multiple of {@link #BYTES}
   * @return false when at least one of them could not be made
   */
  static boolean make(int descriptor, long from, long count) {
    long reserved = 0;
    try {
      int nothing = CLibrary.PRIVATE | CLibrary.ANONYMOUS | CLibrary.NO_RESERVE;
      reserved = CLibrary.mmap(0, count + BYTES, 0, nothing, -1, 0);
      long aligned = (reserved + BYTES - 1) / BYTES * BYTES;
      int shared = CLibrary.SHARED | CLibrary.FIXED;
      CLibrary.mmap(aligned, count, CLibrary.READ, shared, descriptor, from);
      CLibrary.madvise(aligned, count, CLibrary.COLLAPSE);
      return true;
    } catch (LastErrorException e) {
      return false;
    } finally {
      unmap(reserved, count + BYTES);
    }
  }

  private static void unmap(long address, long count) {
    try {
      if (address != 0) {
        CLibrary.munmap(address, count);
      }
    } catch (LastErrorException e) {
      throw new IllegalStateException("what was mapped is not unmapped", e);
    }
  }
}
