package dev.sailfish.format;

/** Written by a newer version of Sailfish than this one, or with a codec that this one lacks. */
public final class UnsupportedFormatException extends FormatException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what was found and what this version reads, as {@code name=value}
   */
  public UnsupportedFormatException(String message) {
    super(message);
  }
}
