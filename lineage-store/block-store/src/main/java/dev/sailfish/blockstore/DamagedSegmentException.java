package dev.sailfish.blockstore;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A sealed segment is not what was sealed. Its content must not be served: read a replica, or
 * report the loss and delete the segment.
 */
public final class DamagedSegmentException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what of the file is not as it was sealed, with both values
   */
  DamagedSegmentException(String segment, Path file, String what) {
    super("damaged segment name=" + segment + " file=" + file + " " + what);
  }
}
