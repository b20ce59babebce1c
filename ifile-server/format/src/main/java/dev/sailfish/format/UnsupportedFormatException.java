package dev.sailfish.format;

/** Written by a newer version of Sailfish than this one, or with a codec that this one lacks. */
public final class UnsupportedFormatException extends FormatException {
  private static final long serialVersionUID = 1L;

  public UnsupportedFormatException(String message) {
    super(message);
  }

  /** Requires that {@code what} has the only version that this one reads. */
  static void check(String what, int version, int readable) throws UnsupportedFormatException {
    if (version != readable) {
      throw new UnsupportedFormatException(
          what + " has version=" + version + ", this Sailfish reads version=" + readable);
    }
  }
}
