package dev.sailfish.lineage.understore.s3;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * An object as the store keeps it.
 *
 * @param etag without quotes
 */
public record StoredObject(byte[] content, String etag, Instant modified) {

  static StoredObject of(byte[] content, Instant modified) {
    return new StoredObject(content, md5(content), modified);
  }

  static String md5(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
