package dev.sailfish.format;

import java.io.IOException;

/**
 * Bytes that are not what the format says; the subclass says what the reader may do about it, the
 * message what was expected and what was found, as {@code name=value}.
 */
public abstract sealed class FormatException extends IOException
    permits CorruptFormatException, TruncatedFormatException, UnsupportedFormatException {
  private static final long serialVersionUID = 1L;

  FormatException(String message) {
    super(message);
  }
}
