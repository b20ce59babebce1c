package dev.sailfish.blockstore.file;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes pages by {@code fallocate(2)}: the kernel gives them and leaves it to the first access
 * whether they have to be cleared. That takes half the time of a write of zeros. A file system that
 * cannot do it gets zeros.
 */
final class AllocatedPages implements PageMaker {
  /** At once, in bytes: a signal has the kernel take back what it has given so far. */
  private static final long PIECE = 1 << 20;

  private final int descriptor;
  private final Path path;
  private final PageMaker zeros;
  private boolean isRefused;

  private AllocatedPages(int descriptor, Path path, PageMaker zeros) {
    this.descriptor = descriptor;
    this.path = path;
    this.zeros = zeros;
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
  public void make(long from, long to) throws IOException {
    long at = from;
    while (at < to && !isRefused) {
      long end = Math.min(to, at + PIECE);
      if (isMade(at, end)) {
        at = end;
      }
    }
    if (at < to) {
      zeros.make(at, to);
    }
  }

  /** Returns false when it was not done, and is to be tried again, or never. */
  private boolean isMade(long from, long to) throws IOException {
    try {
      CLibrary.fallocate(descriptor, 0, from, to - from);
      return true;
    } catch (LastErrorException e) {
      int error = e.getErrorCode();
      if (error == CLibrary.NO_SPACE || error == CLibrary.NO_QUOTA) {
        String what = error == CLibrary.NO_SPACE ? "No space left on device" : "quota exceeded";
        throw new IOException(path + " (" + what + ")", e);
      }
      isRefused = error != CLibrary.INTERRUPTED;
      return false;
    }
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
