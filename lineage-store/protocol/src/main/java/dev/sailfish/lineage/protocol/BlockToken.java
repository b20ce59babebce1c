package dev.sailfish.lineage.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What lets a user read or write the blocks of one file for some time: the master gives it, and
 * workers take its word. {@link BlockTokenKey} makes its bytes:
 *
 * <pre>
 *   0     1        2      3          7         15            23      23+n
 *   +-----+--------+------+----------+---------+-------------+-------+--------------------+
 *   | ver | access | n    | key id   | fid     | expires, ms | user  | HMAC-SHA256 of all |
 *   +-----+--------+------+----------+---------+-------------+-------+--------------------+
 * </pre>
 *
 * <p>Big endian; {@code n} is unsigned.
 *
 * @param fid of the file
 * @param expiresMs milliseconds since 1970 by the master's clock; from then on it is good for
 *     ending what was begun, and for nothing else
 * @param user who may, and nobody else
 */
public record BlockToken(long fid, Access access, long expiresMs, String user) {
  /** Longest name of a user, in bytes of UTF-8. */
  public static final int LONGEST_USER = 255;

  static final int FIXED_LENGTH = 23;
  private static final byte VERSION = 1;

  /** What a token is for. */
  public enum Access {
    /** To read blocks that are complete. */
    READ,
    /** To write blocks of a file that is not. */
    WRITE
  }

  /** Refuses names that are none. */
  public BlockToken {
    int length = user.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > LONGEST_USER) {
      throw new IllegalArgumentException("a user's name has 1 to 255 bytes, not " + length);
    }
  }

  /**
   * The bytes without their code.
   *
   * @param keyId says which secret the code is made with
   */
  byte[] encode(int keyId) {
    byte[] name = user.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(FIXED_LENGTH + name.length)
        .put(VERSION)
        .put((byte) access.ordinal())
        .put((byte) name.length)
        .putInt(keyId)
        .putLong(fid)
        .putLong(expiresMs)
        .put(name)
        .array();
  }

  /** The token of bytes of any content, without their code. */
  static BlockToken decode(ByteBuffer bytes) throws IOException {
    int access = bytes.remaining() < FIXED_LENGTH ? -1 : bytes.get(1);
    boolean isKnown =
        access >= 0
            && access < Access.values().length
            && bytes.get(0) == VERSION
            && bytes.remaining() == FIXED_LENGTH + Byte.toUnsignedInt(bytes.get(2))
            && bytes.remaining() > FIXED_LENGTH;
    if (!isKnown) {
      throw new IOException("these are no bytes of a block token of version " + VERSION);
    }
    byte[] name = new byte[bytes.remaining() - FIXED_LENGTH];
    bytes.get(FIXED_LENGTH, name);
    return new BlockToken(
        bytes.getLong(7),
        Access.values()[access],
        bytes.getLong(15),
        new String(name, StandardCharsets.UTF_8));
  }

  /** The id of the key of bytes that can be decoded. */
  static int keyId(ByteBuffer bytes) {
    return bytes.getInt(3);
  }
}
