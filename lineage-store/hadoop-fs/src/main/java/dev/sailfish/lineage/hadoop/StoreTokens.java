package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.ground.wire.token.DelegationToken;
import dev.sailfish.lineage.protocol.LineageService;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.token.Token;

/**
 * How a user proves to the store who he is: by a delegation token in his Hadoop credentials, as
 * tasks have it; else by the cluster's secret, if he may read it; else by a token that is got with
 * his Kerberos ticket and kept in this process. Thread-safe.
 */
final class StoreTokens {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** Of tokens that are made here; servers have a limit of their own. */
  private static final Duration LIFETIME = Duration.ofDays(7);

  /** A token of one's own is got anew when less than this share of its life is left. */
  private static final int LAST_PART = 5;

  private final UserGroupInformation user;
  private final List<HostPort> masters;
  private final Network network;
  private final Optional<byte[]> secret;
  private final String principal;
  private Token<StoreTokenIdentifier> own;

  /**
   * @param masters of the store
   * @param network over which they are asked
   * @param secret of the cluster, if the user may read it
   * @param principal that masters must prove to be to a user with Kerberos
   */
  StoreTokens(
      UserGroupInformation user,
      List<HostPort> masters,
      Network network,
      Optional<byte[]> secret,
      String principal) {
    this.user = user;
    this.masters = List.copyOf(masters);
    this.network = network;
    this.secret = secret;
    this.principal = principal;
  }

  /** By what tokens of these masters are found among others: their addresses. */
  static String service(List<HostPort> masters) {
    return masters.stream().map(HostPort::toString).collect(Collectors.joining(","));
  }

  /** What proves who the user is, looked for at each connection. */
  Credentials credentials() {
    return Credentials.from(this::current);
  }

  private Credentials current() throws IOException {
    Token<?> token = found();
    if (token == null && secret.isPresent()) {
      return Credentials.ofCluster(secret.get());
    }
    if (token == null) {
      token = own();
    }
    return Credentials.ofToken(token.getIdentifier(), token.getPassword());
  }

  /**
   * Whether there is anything to prove with; with Kerberos it may turn out that there is no ticket.
   */
  boolean isAny() {
    return secret.isPresent() || UserGroupInformation.isSecurityEnabled() || found() != null;
  }

  /**
   * The token in the user's credentials; of the thread's, too, if that is the same user: processes
   * that live long get new ones.
   */
  private Token<?> found() {
    Token<?> found = found(user);
    try {
      UserGroupInformation current = UserGroupInformation.getCurrentUser();
      if (current != user && current.getShortUserName().equals(user.getShortUserName())) {
        Token<?> newer = found(current);
        found = newer == null ? found : newer;
      }
    } catch (IOException e) {
      return found; // the thread is nobody's
    }
    return found;
  }

  private Token<?> found(UserGroupInformation of) {
    Set<String> addresses = masters.stream().map(HostPort::toString).collect(Collectors.toSet());
    Token<?> best = null;
    for (Token<?> token : of.getTokens()) {
      boolean isOurs =
          StoreTokenIdentifier.KIND.equals(token.getKind())
              && Set.of(token.getService().toString().split(",")).stream()
                  .anyMatch(addresses::contains);
      if (isOurs && (best == null || expiresMs(token) > expiresMs(best))) {
        best = token;
      }
    }
    return best;
  }

  private static long expiresMs(Token<?> token) {
    try {
      return DelegationToken.of(token.getIdentifier()).expiresMs();
    } catch (IOException e) {
      return 0; // the server says what is wrong with it
    }
  }

  /** A token for this process alone. */
  private synchronized Token<StoreTokenIdentifier> own() throws IOException {
    if (own != null) {
      DelegationToken known = DelegationToken.of(own.getIdentifier());
      long left = known.expiresMs() - network.wallMs();
      if (left > (known.expiresMs() - known.issuedMs()) / LAST_PART) {
        return own;
      }
    }
    own = ask("");
    return own;
  }

  /**
   * A new token for the user, for programs that work on his behalf.
   *
   * @param renewer is only kept in the token: there is nothing to renew
   * @throws IOException when nobody gives one, saying what to do
   */
  Token<StoreTokenIdentifier> issue(String renewer) throws IOException {
    Token<?> found = found();
    if (found != null) {
      return token(found.getIdentifier(), found.getPassword());
    }
    if (secret.isEmpty()) {
      return ask(renewer);
    }
    DelegationKey key = new DelegationKey(secret.get(), LineageService.TOKENS, LIFETIME);
    byte[] identifier =
        key.issue(user.getShortUserName(), text(renewer), "", network.wallMs()).identifier();
    return token(identifier, key.password(identifier));
  }

  private static String text(String renewer) {
    return renewer == null ? "" : renewer;
  }

  private Token<StoreTokenIdentifier> token(byte[] identifier, byte[] password) {
    return new Token<>(identifier, password, StoreTokenIdentifier.KIND, new Text(service(masters)));
  }

  /** Of a user whom another one stands in for, through that one's ticket. */
  private Token<StoreTokenIdentifier> ask(String renewer) throws IOException {
    if (!UserGroupInformation.isSecurityEnabled()) {
      throw new IOException(
          "user=%s proves nothing to the lineage store at %s: there is no token in the user's"
                  .formatted(user.getShortUserName(), service(masters))
              + " credentials, no Kerberos, and "
              + LineageKey.SECRET_FILE
              + " is not set");
    }
    boolean proxied = user.getAuthenticationMethod() == AuthenticationMethod.PROXY;
    UserGroupInformation caller = proxied ? user.getRealUser() : user;
    caller.checkTGTAndReloginFromKeytab();
    DelegationTokenRequest request =
        new DelegationTokenRequest(
            LineageService.GET_DELEGATION_TOKEN,
            "client of " + user.getShortUserName(),
            principal,
            proxied ? user.getShortUserName() : "",
            text(renewer));
    List<InetSocketAddress> addresses =
        masters.stream()
            .map(master -> new InetSocketAddress(master.host(), master.port()))
            .toList();
    PrivilegedExceptionAction<DelegationTokenRequest.Issued> ask =
        () -> request.ask(network, addresses, DEADLINE);
    try {
      DelegationTokenRequest.Issued issued = caller.doAs(ask);
      return token(issued.identifier(), issued.password());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a token of the store was asked for");
    } catch (IOException e) {
      throw new IOException(
          "no token of the lineage store at %s for user=%s: %s; is there a ticket (kinit), and is"
                  .formatted(service(masters), user.getUserName(), e.getMessage())
              + " %s=%s the master's?".formatted(LineageKey.KERBEROS_PRINCIPAL, principal),
          e);
    }
  }
}
