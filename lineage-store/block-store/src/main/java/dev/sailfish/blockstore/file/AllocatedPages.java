package dev.sailfish.blockstore.file;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes pages by {@code fallocate(2)}: the kernel gives them and leaves it to the first access
 * whether they have to be cleared. That takes half the time of a write of zeros. Where a huge page
 * fits it is made one, if the kernel can. A file system that cannot allocate gets zeros.
 */
final class AllocatedPages implements PageMaker {
  /** Small pages at once, in bytes. */
  private static final long PIECE = 128 << 10;

  /** Huge pages at once, in bytes: a call waits for all processors, however many it makes. */
  private static final long HUGE_PIECE = 4 << 20;

  private final int descriptor;
  private final Path path;
  private final PageMaker zeros;
  private final long hugeBytes;
  private boolean isRefused;
  private boolean isHugeRefused;

  private AllocatedPages(int descriptor, Path path, PageMaker zeros) {
    this.descriptor = descriptor;
    this.path = path;
    this.zeros = zeros;
    this.hugeBytes = CollapsedPages.BYTES;
    this.isHugeRefused = hugeBytes == 0;
  }

  /**
   * A maker of pages for the file of this name.
   *
   * @param zeros makes them where this cannot
   */
  static PageMaker of(Path path, PageMaker zeros) {
    if (!CLibrary.IS_LOADED) {
      return zeros;
    }
    try {
      int descriptor = CLibrary.open(path.toString(), CLibrary.READ_WRITE | CLibrary.CLOSE_ON_EXEC);
      return new AllocatedPages(descriptor, path, zeros);
    } catch (LastErrorException e) {
      return zeros; // whose error, if it fails too, says what is wrong
    }
  }

  @Override
  public long make(long from, long to) throws IOException {
    long end = Math.min(to, from + PIECE);
    if (!isHugeRefused) {
      long huge = (to - from) / hugeBytes * hugeBytes;
      long boundary = from / hugeBytes * hugeBytes;
      if (from == boundary && huge > 0) {
        huge = Math.min(huge, HUGE_PIECE);
        return isHugeMade(from, from + huge) ? from + huge : make(from, to);
      }
      end = Math.min(end, boundary + hugeBytes);
    }
    return isMade(from, end) ? end : zeros.make(from, to);
  }

  @Override
  public void makeHuge(long from, long to) {
    try {
      for (long at = from; at < to && isHugeMade(at, Math.min(to, at + HUGE_PIECE)); ) {
        at += HUGE_PIECE;
      }
    } catch (IOException e) {
      isHugeRefused = true; // full: who writes there gets the same error
    }
  }

  /** One page of each, which the kernel completes then. */
  private boolean isHugeMade(long from, long to) throws IOException {
    for (long at = from; at < to && !isHugeRefused; at += hugeBytes) {
      isHugeRefused = !isMade(at, at + 1);
    }
    isHugeRefused = isHugeRefused || !CollapsedPages.make(descriptor, from, to - from);
    return !isHugeRefused;
  }

  /** Allocates pages; returns false when that cannot be done. */
  private boolean isMade(long from, long to) throws IOException {
    while (!isRefused) {
      try {
        CLibrary.fallocate(descriptor, 0, from, to - from);
        return true;
      } catch (LastErrorException e) {
        int error = e.getErrorCode();
        if (error == CLibrary.NO_SPACE || error == CLibrary.NO_QUOTA) {
          String what = error == CLibrary.NO_SPACE ? "No space left on device" : "quota exceeded";
          throw new IOException(path + " (" + what + ")", e);
        }
        isRefused = error != CLibrary.INTERRUPTED; // by a signal: again
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    try {
      CLibrary.close(descriptor);
    } catch (LastErrorException e) {
      throw new IOException(path + " was not closed", e);
    }
  }
}
