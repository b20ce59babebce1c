package dev.sailfish.ground.wire.secret;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

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

  /** What the principal of a job that was admitted begins with; its id follows. */
  public static final String JOB_PREFIX = "job ";

  /**
   * What the principal of a task begins with that does not know its job's id yet; its name follows.
   */
  public static final String TASK_PREFIX = "task ";

  /** The principal of a user; Kerberos tells who it is. */
  public static final String USER = "user";

  /**
   * What the principal of a user begins with who bears a delegation token; the token's identifier
   * follows, as base64url. The key is the token's password.
   */
  public static final String TOKEN_PREFIX = "token ";

  /** Length of the id of a key, in bytes. */
  public static final int KEY_ID_LENGTH = 16;

  /**
   * Secrets of tasks with fewer bytes can be guessed by who sees anything that was made with them.
   */
  private static final int LONG_SECRET_BYTES = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private Handshake() {}

  /** Random bytes for one connection. */
  public static byte[] nonce() {
    return random(NONCE_LENGTH);
  }

  /** Random bytes that nobody can foresee. */
  public static byte[] random(int length) {
    byte[] random = new byte[length];
    RANDOM.nextBytes(random);
    return random;
  }

  /** What names a connection: both nonces, the client's first. */
  public static byte[] session(byte[] clientNonce, byte[] serverNonce) {
    byte[] session = Arrays.copyOf(clientNonce, clientNonce.length + serverNonce.length);
    System.arraycopy(serverNonce, 0, session, clientNonce.length, serverNonce.length);
    return session;
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
   * The task key: by which a server knows a job's tasks before it has told them the access key.
   *
   * @param secret what MapReduce hands to all tasks of the job and to nobody else
   * @param name the job's name
   */
  public static byte[] taskKey(byte[] secret, String name) {
    return HmacSha256.of(secret, bytes("sailfish job key"), bytes(name));
  }

  /** Whether nobody can find a secret by trying what it may be. */
  public static boolean isLong(byte[] secret) {
    return secret.length >= LONG_SECRET_BYTES;
  }

  /** What tells task keys of the same job name from each other. */
  public static byte[] keyId(byte[] taskKey) {
    return Arrays.copyOf(HmacSha256.of(taskKey, bytes("sailfish key id")), KEY_ID_LENGTH);
  }

  /**
   * What a job's data is encrypted with where it rests. It follows from the job's access key, so
   * that it is there again after any restart, and anyone who may read the job can make it.
   *
   * @param accessKey which a server made when it admitted the job
   * @param job the job's id
   */
  public static byte[] dataKey(byte[] accessKey, String job) {
    return HmacSha256.of(accessKey, bytes("sailfish data key"), bytes(job));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
