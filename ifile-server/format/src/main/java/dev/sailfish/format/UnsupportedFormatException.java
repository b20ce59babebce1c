package dev.sailfish.format;

/** Written by a newer version of Sailfish than this one, or with a codec that this one lacks. */
public final class UnsupportedFormatException extends FormatException {
  private static final long serialVersionUID = 1L;

  private UnsupportedFormatException(String message) {
    super(message);
  }

  /** Never returns; it can stand for any value, so that enums do not load this class to link. */
  public static <T> T unknown(String what) throws UnsupportedFormatException {
    throw new UnsupportedFormatException("unknown " + what);
  }

  /** Requires that {@code what} has the only version that this one reads. */
  public static void check(String what, int version, int readable)
      throws UnsupportedFormatException {
    if (version != readable) {
      throw new UnsupportedFormatException(
          what + " has version=" + version + ", this Sailfish reads version=" + readable);
    }
  }
}
