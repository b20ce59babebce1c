package dev.sailfish.protocol;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * What both sides of a connection compute to prove to each other who they are. Each proves that it
 * knows the principal's key, over two nonces, one from each side, so that no proof is good for a
 * second connection; {@code docs/PROTOCOL.md} has the frames. Thread-safe.
 */
public final class Handshake {
  /** Length of a nonce, in bytes. */
  public static final int NONCE_LENGTH = 16;

  /** The principal of daemons and commands, which may do everything. */
  public static final String CLUSTER = "cluster";

  /** What the principal of a job begins with; its id follows. */
  public static final String JOB_PREFIX = "job ";

  private static final SecureRandom RANDOM = new SecureRandom();

  private Handshake() {}

  /** Random bytes for one connection. */
  public static byte[] nonce() {
    byte[] nonce = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  /** How a server proves itself. */
  public static byte[] serverProof(
      byte[] key, String principal, byte[] clientNonce, byte[] serverNonce) {
    return HmacSha256.of(key, bytes("sailfish-server"), bytes(principal), clientNonce, serverNonce);
  }

  /** How a client proves itself. */
  public static byte[] clientProof(
      byte[] key, String principal, byte[] clientNonce, byte[] serverNonce) {
    return HmacSha256.of(key, bytes("sailfish-client"), bytes(principal), clientNonce, serverNonce);
  }

  /**
   * The key of a job.
   *
   * @param secret what MapReduce hands to all tasks of the job and to nobody else
   */
  public static byte[] jobKey(byte[] secret, String job) {
    return HmacSha256.of(secret, bytes("sailfish job key"), bytes(job));
  }

  /**
   * What a job's data is encrypted with where it rests. It follows from the job's key, so that it
   * is there again after any restart, and whoever may read the job can make it.
   *
   * @param jobKey of {@link #jobKey}
   */
  public static byte[] dataKey(byte[] jobKey, String job) {
    return HmacSha256.of(jobKey, bytes("sailfish data key"), bytes(job));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
