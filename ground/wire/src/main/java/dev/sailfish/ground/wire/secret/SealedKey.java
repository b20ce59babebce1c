package dev.sailfish.ground.wire.secret;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A job's access key on its way from the server that admitted the job to a daemon or command of the
 * cluster, or to a task: encrypted and authenticated with keys that both derive from a secret that
 * they share, for one connection and one answer.
 *
 * @param salt random, new for each answer
 * @param sealed the key, encrypted
 * @param mac proves who sealed it, for which connection and job
 */
public record SealedKey(ByteString salt, ByteString sealed, ByteString mac) {
  private static final byte[] STREAM = "sailfish-key-stream".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] MAC = "sailfish-key-mac".getBytes(StandardCharsets.US_ASCII);

  /**
   * Seals a key.
   *
   * @param session both nonces of the connection, as both sides of a connection know them
   */
  public static SealedKey seal(byte[] secret, byte[] session, String job, byte[] key) {
    byte[] salt = Handshake.nonce();
    byte[] name = job.getBytes(StandardCharsets.UTF_8);
    byte[] sealed = xor(key, HmacSha256.of(secret, STREAM, session, salt, name));
    byte[] mac = HmacSha256.of(secret, MAC, session, salt, name, sealed);
    return new SealedKey(
        ByteString.copyFrom(salt), ByteString.copyFrom(sealed), ByteString.copyFrom(mac));
  }

  /**
   * The key.
   *
   * @param session both nonces of the connection, the client's first
   * @throws IOException when it was not sealed with this secret for this connection and job
   */
  public byte[] open(byte[] secret, byte[] session, String job) throws IOException {
    byte[] saltBytes = salt.toByteArray();
    byte[] sealedBytes = sealed.toByteArray();
    byte[] name = job.getBytes(StandardCharsets.UTF_8);
    byte[] right = HmacSha256.of(secret, MAC, session, saltBytes, name, sealedBytes);
    boolean whole =
        saltBytes.length == Handshake.NONCE_LENGTH && sealedBytes.length == HmacSha256.LENGTH;
    if (!whole || !HmacSha256.same(right, mac.toByteArray())) {
      throw new IOException(
          "key of job=" + job + " was damaged on its way, or another server sealed it");
    }
    return xor(sealedBytes, HmacSha256.of(secret, STREAM, session, saltBytes, name));
  }

  private static byte[] xor(byte[] bytes, byte[] stream) {
    if (bytes.length != stream.length) {
      throw new IllegalArgumentException(
          "key has length=" + bytes.length + " instead of " + stream.length);
    }
    byte[] result = new byte[bytes.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) (bytes[i] ^ stream[i]);
    }
    return result;
  }
}
