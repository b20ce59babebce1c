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
}
