package dev.sailfish.ground.wire.token;

import dev.sailfish.ground.wire.secret.HmacSha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/**
 * What makes and checks the delegation tokens of one kind of service. It follows from the cluster
 * secret, so all servers have it, and any of them takes a token that any of them has issued, also
 * after a restart; nothing of a token is stored. With {@code |} for "behind":
 *
 * <pre>
 *   delegation key = HMAC-SHA256(cluster secret, "sailfish delegation key"), for what admits jobs;
 *                    HMAC-SHA256(cluster secret, "sailfish NAME key"), for others
 *   key id         = first 4 bytes of HMAC-SHA256(delegation key, "sailfish delegation key id")
 *   password       = HMAC-SHA256(delegation key, identifier)
 *   proof          = HMAC-SHA256(password, "sailfish delegation proof" | job | task key)
 * </pre>
 *
 * <p>A token is good until it expires; there is no renewing and no list of cancelled ones.
 * Immutable and thread-safe; never shows its key.
 */
public final class DelegationKey {
  private static final byte[] KEY_ID = ascii("sailfish delegation key id");
  private static final byte[] PROOF = ascii("sailfish delegation proof");

  private final byte[] key;
  private final int id;
  private final long lifetimeMs;
  private final SecureRandom random = new SecureRandom();

  /**
   * The key of tokens that admit jobs.
   *
   * @param clusterSecret of the cluster whose tokens these are
   * @param lifetime of new tokens, and the longest that any token is taken after it was issued
   */
  public DelegationKey(byte[] clusterSecret, Duration lifetime) {
    this(clusterSecret, "delegation", lifetime);
  }

  /**
   * The key of tokens that are good for something else.
   *
   * @param clusterSecret of the cluster whose tokens these are
   * @param name of what they are for: those of another name are worth nothing there
   * @param lifetime of new tokens, and the longest that any token is taken after it was issued
   */
  public DelegationKey(byte[] clusterSecret, String name, Duration lifetime) {
    this.key = HmacSha256.of(clusterSecret, ascii("sailfish " + name + " key"));
    this.id = ByteBuffer.wrap(HmacSha256.of(key, KEY_ID)).getInt();
    this.lifetimeMs = lifetime.toMillis();
    if (lifetimeMs <= 0) {
      throw new IllegalArgumentException("lifetime of tokens must be positive: ms=" + lifetimeMs);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Which cluster secret this follows from; no secret itself. */
  public int id() {
    return id;
  }

  /**
   * A new token.
   *
   * @param owner on whose behalf its bearer is to act
   * @param renewer as the caller named it
   * @param realUser who asks for it if that is not the owner, else empty
   * @param nowMs milliseconds since 1970
   */
  public DelegationToken issue(String owner, String renewer, String realUser, long nowMs) {
    return new DelegationToken(
        owner, renewer, realUser, nowMs, nowMs + lifetimeMs, random.nextLong(), id);
  }

  /** The secret part of a token, for its owner. */
  public byte[] password(byte[] identifier) {
    return HmacSha256.of(key, identifier);
  }

  /**
   * How the bearer of a token proves that he knows its password.
   *
   * @param job the name of the job that he introduces; the proof is worth nothing for any other
   * @param taskKey of the job, 32 bytes
   */
  public static byte[] proof(byte[] password, String job, byte[] taskKey) {
    return HmacSha256.of(password, PROOF, job.getBytes(StandardCharsets.UTF_8), taskKey);
  }

  /**
   * Checks that somebody bears a token of this cluster that has not expired.
   *
   * @param identifier of any content
   * @param proof what {@link #proof} makes, of any content
   * @param job as in {@link #proof}
   * @param taskKey as in {@link #proof}
   * @param nowMs milliseconds since 1970
   * @return what the token says
   * @throws IOException with one sentence of what is wrong and what to do
   */
  public DelegationToken check(
      byte[] identifier, byte[] proof, String job, byte[] taskKey, long nowMs) throws IOException {
    DelegationToken token = ownToken(identifier);
    if (!HmacSha256.same(proof, proof(password(identifier), job, taskKey))) {
      throw new IOException(
          "delegation token of '"
              + token.owner()
              + "' was changed or made up: the proof of its password is wrong");
    }
    requireFresh(token, nowMs);
    return token;
  }

  /**
   * Reads a token of this cluster that has not expired. That its bearer knows the password is for
   * the caller to find out; an identifier that was changed or made up has none that anybody knows.
   *
   * @param identifier of any content
   * @param nowMs milliseconds since 1970
   * @throws IOException with one sentence of what is wrong and what to do
   */
  public DelegationToken read(byte[] identifier, long nowMs) throws IOException {
    DelegationToken token = ownToken(identifier);
    requireFresh(token, nowMs);
    return token;
  }

  private DelegationToken ownToken(byte[] identifier) throws IOException {
    DelegationToken token = DelegationToken.of(identifier);
    if (token.keyId() != id) {
      throw new IOException(
          "delegation token of '"
              + token.owner()
              + "' was made with another cluster's secret, or with this one's before it was"
              + " changed, or for another service: get a new one, or submit the job again");
    }
    return token;
  }

  private void requireFresh(DelegationToken token, long nowMs) throws IOException {
    long expiresMs = Math.min(token.expiresMs(), token.issuedMs() + lifetimeMs);
    if (nowMs >= expiresMs) {
      throw new IOException(
          ("delegation token of '%s' has expired at %s: jobs that run longer need a longer"
                  + " lifetime of tokens at the servers that issue them")
              .formatted(token.owner(), Instant.ofEpochMilli(expiresMs)));
    }
  }
}
