package dev.sailfish.format;

import java.util.Locale;

/** How the records of a block are compressed; the implementation is in the codec module. */
public enum CodecId {
  /** Stored as they are. */
  NONE(0),
  /** LZ4 block format. */
  LZ4(1),
  /** Zstandard frame. */
  ZSTD(2),
  /** Snappy raw format. */
  SNAPPY(3),
  /** LZO1X, as written and read by the LZO library. */
  LZO(4);

  private final int code;

  CodecId(int code) {
    this.code = code;
  }

  /** The code on the wire and on disk. */
  public int code() {
    return code;
  }

  /** The name that users write, for instance {@code lz4}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The codec with this code.
   *
   * @throws UnsupportedFormatException when no codec has it
   */
  public static CodecId ofCode(int code) throws UnsupportedFormatException {
    return switch (code) {
      case 0 -> NONE;
      case 1 -> LZ4;
      case 2 -> ZSTD;
      case 3 -> SNAPPY;
      case 4 -> LZO;
      default -> UnsupportedFormatException.unknown("codec: code=" + code + " known=0..4");
    };
  }

  /**
   * The codec that a user named.
   *
   * @throws IllegalArgumentException with the list of names when there is none
   */
  public static CodecId ofLabel(String label) {
    for (CodecId codec : values()) {
      if (codec.label().equals(label)) {
        return codec;
      }
    }
    throw new IllegalArgumentException(
        "unknown codec '" + label + "': choose one of none, lz4, zstd, snappy, lzo");
  }
}
