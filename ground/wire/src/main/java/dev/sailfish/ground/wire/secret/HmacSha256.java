package dev.sailfish.ground.wire.secret;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC with SHA-256 (RFC 2104), without {@code javax.crypto}: looking for its providers would cost
 * the start of every task more than all that is authenticated there.
 */
public final class HmacSha256 {
  /** Length of a code, in bytes. */
  public static final int LENGTH = 32;

  private static final int BLOCK_LENGTH = 64;
  private static final byte INNER = 0x36;
  private static final byte OUTER = 0x5c;

  private HmacSha256() {}

  /**
   * The code of all parts, back to back.
   *
   * @param key of any length, not empty
   */
  public static byte[] of(byte[] key, byte[]... parts) {
    if (key.length == 0) {
      throw new IllegalArgumentException("an empty key proves nothing");
    }
    MessageDigest digest = sha256();
    byte[] block =
        Arrays.copyOf(key.length > BLOCK_LENGTH ? digest.digest(key) : key, BLOCK_LENGTH);
    xor(block, INNER);
    digest.update(block);
    for (byte[] part : parts) {
      digest.update(part);
    }
    byte[] inner = digest.digest();
    xor(block, (byte) (INNER ^ OUTER));
    digest.update(block);
    return digest.digest(inner);
  }

  private static void xor(byte[] bytes, byte with) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= with;
    }
  }

  /** Whether two codes are the same; takes as long when they are not. */
  public static boolean same(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
