package dev.sailfish.ground.server.kerberos;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Negotiation;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.IssuedToken;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users that a server knows by their Kerberos tickets, and what they get: delegation tokens, by
 * which servers of the cluster know on whose behalf programs run. All cryptography is done on one
 * thread of its own with a bounded queue; no KDC is asked. Nothing is journaled, so a server that
 * does not lead gives tokens as well. Thread-safe.
 */
public final class KerberosUsers implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(KerberosUsers.class);
  private static final int QUEUE = 256;

  private final String server;
  private final KerberosLogin login;
  private final UserNames names;
  private final KerberosSettings settings;
  private final DelegationKey key;
  private final LongSupplier wallMs;
  private final BoundedPool worker;

  private KerberosUsers(
      String server,
      KerberosLogin login,
      UserNames names,
      KerberosSettings settings,
      DelegationKey key,
      LongSupplier wallMs) {
    this.server = server;
    this.login = login;
    this.names = names;
    this.settings = settings;
    this.key = key;
    this.wallMs = wallMs;
    this.worker = new BoundedPool(server + "-kerberos", 1, QUEUE);
  }

  /**
   * Reads the keytab.
   *
   * @param server what kind of server this is, for messages
   * @param host by which clients reach it
   * @param key makes the tokens
   * @param wallMs milliseconds since 1970
   * @throws IOException when the keytab cannot be used, or has no key of the principal
   */
  public static KerberosUsers open(
      String server, KerberosSettings settings, String host, DelegationKey key, LongSupplier wallMs)
      throws IOException {
    KerberosLogin login = KerberosLogin.open(settings.principalOn(host), settings.keytab());
    Set<String> realms =
        settings.realms().isEmpty() ? Set.of(login.realm()) : Set.copyOf(settings.realms());
    LOG.info("Kerberos: this {} is {}, users are of realms={}", server, login.principal(), realms);
    return new KerberosUsers(server, login, new UserNames(realms), settings, key, wallMs);
  }

  /** What finds out who the user at the other end of a new connection is. */
  public Negotiation negotiation() {
    return new UserConnection(this);
  }

  /** Takes work, or says that there is too much of it. */
  boolean offer(Runnable work) {
    try {
      worker.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("Kerberos: too many users at a time, or the server ends", e);
      return false;
    }
  }

  /** What kind of server this is. */
  String server() {
    return server;
  }

  KerberosLogin login() {
    return login;
  }

  UserNames names() {
    return names;
  }

  /**
   * Makes a token.
   *
   * @param user who asks, a short name
   * @param owner on whose behalf its bearer is to act; empty: the user's own
   * @throws RequestRefusedException FORBIDDEN when the user may not speak for the owner,
   *     BAD_REQUEST when a name is none
   */
  IssuedToken issue(String user, String owner, String renewer) throws RequestRefusedException {
    boolean own = owner.isEmpty() || owner.equals(user);
    if (!own && !settings.proxyUsers().contains(user)) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          ("user '%s' may not ask for a delegation token of another user: owner='%s'; is it missing"
                  + " in %s?")
              .formatted(user, owner, settings.proxyUsersKey()));
    }
    try {
      DelegationToken token =
          key.issue(
              UserNames.require(own ? user : owner), renewer, own ? "" : user, wallMs.getAsLong());
      byte[] identifier = token.identifier();
      LOG.info(
          "delegation token issued: owner={} realUser={} renewer={} expires={}",
          token.owner(),
          token.realUser(),
          token.renewer(),
          Instant.ofEpochMilli(token.expiresMs()));
      return IssuedToken.newBuilder()
          .setIdentifier(ByteString.copyFrom(identifier))
          .setPassword(ByteString.copyFrom(key.password(identifier)))
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "no delegation token is given: " + e.getMessage());
    }
  }

  /** Ends the thread; users that wait get no answer, as the server is closed before. */
  @Override
  public void close() {
    worker.shutdownNow();
    login.close();
  }
}
