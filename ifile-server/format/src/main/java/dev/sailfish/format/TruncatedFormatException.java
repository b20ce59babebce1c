package dev.sailfish.format;

/**
 * The bytes end before the structure does: a torn write, or a read that was too short. Everything
 * before the structure is still good.
 */
public final class TruncatedFormatException extends FormatException {
  private static final long serialVersionUID = 1L;

  public TruncatedFormatException(String message) {
    super(message);
  }
}
