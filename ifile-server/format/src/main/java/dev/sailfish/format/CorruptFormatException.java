package dev.sailfish.format;

/**
 * Bytes were changed after they were written: a checksum, a magic number or a bound does not hold.
 * Reading the same copy again does not help; another replica, or recomputing, does.
 */
public final class CorruptFormatException extends FormatException {
  private static final long serialVersionUID = 1L;

  public CorruptFormatException(String message) {
    super(message);
  }
}
