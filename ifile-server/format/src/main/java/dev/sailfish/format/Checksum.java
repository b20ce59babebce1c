package dev.sailfish.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C, the one checksum of the formats, as a signed 32-bit integer. */
public final class Checksum {
  private Checksum() {}

  /** CRC32C of {@code length} bytes at {@code offset}. */
  public static int of(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /**
   * CRC32C of {@code length} bytes at the absolute position {@code offset}; the buffer's own
   * position and limit are neither used nor changed.
   */
  public static int of(ByteBuffer bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().limit(offset + length).position(offset));
    return (int) crc.getValue();
  }

  /** Writes the checksum of {@code length} bytes at {@code offset} right behind them. */
  public static void put(ByteBuffer bytes, int offset, int length) {
    bytes.putInt(offset + length, of(bytes, offset, length));
  }

  /**
   * Compares {@code length} bytes at {@code offset} with the checksum that stands right behind
   * them.
   *
   * @param what they are, and where, for the error
   */
  public static void check(ByteBuffer bytes, int offset, int length, String what)
      throws CorruptFormatException {
    int computed = of(bytes, offset, length);
    int checksum = bytes.getInt(offset + length);
    if (computed != checksum) {
      throw new CorruptFormatException(
          "%s is damaged: offset=%s checksum=%x computed=%x"
              .formatted(what, offset, checksum, computed));
    }
  }
}
