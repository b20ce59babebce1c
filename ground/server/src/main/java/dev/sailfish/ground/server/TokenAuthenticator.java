package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Lets in who knows the cluster's secret, users who bear delegation tokens, and users who ask for
 * one with Kerberos. Nothing waits, and nothing of a token is kept. Thread-safe.
 */
public final class TokenAuthenticator implements Authenticator {
  private final String server;
  private final Principal cluster;
  private final DelegationKey tokens;
  private final LongSupplier wallMs;
  private final Optional<Supplier<Negotiation>> kerberos;

  /**
   * @param server what kind of server this is, for messages
   * @param secret the cluster secret
   * @param tokens of the kind that counts here
   * @param wallMs milliseconds since 1970
   * @param kerberos begins with a user; absent: users get their tokens elsewhere
   */
  public TokenAuthenticator(
      String server,
      byte[] secret,
      DelegationKey tokens,
      LongSupplier wallMs,
      Optional<Supplier<Negotiation>> kerberos) {
    this.server = server;
    this.cluster = Principal.ofCluster(secret);
    this.tokens = tokens;
    this.wallMs = wallMs;
    this.kerberos = kerberos;
  }

  @Override
  public void find(String name, byte[] keyId, Answer answer) {
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(cluster);
    } else if (name.startsWith(Handshake.TOKEN_PREFIX)) {
      bearer(name.substring(Handshake.TOKEN_PREFIX.length()), answer);
    } else if (name.equals(Handshake.USER) && kerberos.isPresent()) {
      answer.negotiate(kerberos.get().get());
    } else if (name.equals(Handshake.USER)) {
      answer.refused(
          Status.UNAUTHENTICATED,
          "this " + server + " has no Kerberos, and gives no delegation tokens: is it set there?");
    } else {
      answer.refused(
          Status.UNAUTHENTICATED,
          "principal must be 'cluster', or a user's delegation token: is it another server's"
              + " address that was meant?");
    }
  }

  /** That the bearer knows the password is proved by the handshake. */
  private void bearer(String text, Answer answer) {
    try {
      byte[] identifier = Base64.getUrlDecoder().decode(text);
      DelegationToken token = tokens.read(identifier, wallMs.getAsLong());
      answer.found(Principal.ofBearer(token.owner(), tokens.password(identifier)));
    } catch (IOException | IllegalArgumentException e) {
      answer.refused(Status.UNAUTHENTICATED, e.getMessage());
    }
  }
}
