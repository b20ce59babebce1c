package dev.sailfish.protocol;

import com.google.protobuf.ByteString;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A job's access key on its way from the metaserver to a daemon or command of the cluster, or to a
 * task: encrypted and authenticated with keys that both derive from a secret that they share, for
 * one connection and one answer.
 */
public final class SealedKey {
  private static final byte[] STREAM = "sailfish-key-stream".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] MAC = "sailfish-key-mac".getBytes(StandardCharsets.US_ASCII);

  private SealedKey() {}

  /**
   * Seals a key.
   *
   * @param session both nonces of the connection, as both sides of a connection know them
   */
  public static GetJobKeyResponse seal(byte[] secret, byte[] session, String job, byte[] key) {
    byte[] salt = Handshake.nonce();
    byte[] name = job.getBytes(StandardCharsets.UTF_8);
    byte[] sealed = xor(key, HmacSha256.of(secret, STREAM, session, salt, name));
    byte[] mac = HmacSha256.of(secret, MAC, session, salt, name, sealed);
    return GetJobKeyResponse.newBuilder()
        .setSalt(ByteString.copyFrom(salt))
        .setSealedKey(ByteString.copyFrom(sealed))
        .setMac(ByteString.copyFrom(mac))
        .build();
  }

  /**
   * The key in an answer.
   *
   * @param session both nonces of the connection, the client's first
   * @throws IOException when it was not sealed with this secret for this connection and job
   */
  public static byte[] open(byte[] secret, byte[] session, String job, GetJobKeyResponse answer)
      throws IOException {
    return open(secret, session, job, answer.getSalt(), answer.getSealedKey(), answer.getMac());
  }

  /** The same with the parts of an answer; they are as in GetJobKeyResponse. */
  public static byte[] open(
      byte[] secret,
      byte[] session,
      String job,
      ByteString saltPart,
      ByteString sealedPart,
      ByteString macPart)
      throws IOException {
    byte[] salt = saltPart.toByteArray();
    byte[] sealed = sealedPart.toByteArray();
    byte[] name = job.getBytes(StandardCharsets.UTF_8);
    byte[] mac = HmacSha256.of(secret, MAC, session, salt, name, sealed);
    boolean whole = salt.length == Handshake.NONCE_LENGTH && sealed.length == HmacSha256.LENGTH;
    if (!whole || !HmacSha256.same(mac, macPart.toByteArray())) {
      throw new IOException(
          "key of job=" + job + " was damaged on its way, or is not from the metaserver");
    }
    return xor(sealed, HmacSha256.of(secret, STREAM, session, salt, name));
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
