package dev.sailfish.blockstore;

import java.io.IOException;

/**
 * A sealed segment is not what was sealed. Its content must not be served: read a replica, or
 * report the loss and delete the segment.
 */
public final class DamagedSegmentException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What does not match. */
  public enum Kind {
    /** The file is shorter than the sealed length; both values are bytes. */
    FILE_TOO_SHORT,
    /** The CRC32C of the content differs from the one taken when it was sealed. */
    CHECKSUM_MISMATCH
  }

  private final String segmentName;
  private final Kind kind;
  private final long expected;
  private final long actual;

  DamagedSegmentException(String segmentName, Object file, Kind kind, long expected, long actual) {
    super(message(segmentName, file, kind, expected, actual));
    this.segmentName = segmentName;
    this.kind = kind;
    this.expected = expected;
    this.actual = actual;
  }

  private static String message(String name, Object file, Kind kind, long expected, long actual) {
    String values =
        kind == Kind.CHECKSUM_MISMATCH
            ? String.format("expectedCrc32c=%08x actualCrc32c=%08x", expected, actual)
            : "sealedLength=" + expected + " fileLength=" + actual;
    return "damaged segment name=" + name + " file=" + file + " kind=" + kind + " " + values;
  }

  /** Name of the damaged segment. */
  public String segmentName() {
    return segmentName;
  }

  /** What does not match. */
  public Kind kind() {
    return kind;
  }

  /** The recorded value: bytes or an unsigned 32-bit checksum, after {@link #kind()}. */
  public long expected() {
    return expected;
  }

  /** The value found. */
  public long actual() {
    return actual;
  }
}
