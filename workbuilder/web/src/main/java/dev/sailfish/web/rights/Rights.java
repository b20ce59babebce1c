package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.Clock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out who asks, and what he may see. The token opens everything; it is borne as {@code
 * Bearer}, as a password of {@code Basic}, or by a cookie. Users come with Kerberos tickets, as
 * HTTP's {@code Negotiate} has it, or with a cookie that they got for one. Where neither a token
 * nor Kerberos is set, anyone may see everything. Thread-safe; what waits says so.
 */
public final class Rights implements Closeable {
  private static final String NEGOTIATE = "negotiate";

  private final Optional<byte[]> token;
  private final Optional<TicketDesk> tickets;
  private final LoginSeal seal;
  private final AccessList administrators;
  private final JobRights jobs;
  private final HostGroups groups;
  private final Duration lifetime;
  private final Clock clock;

  /**
   * What is set.
   *
   * @param token absent: there is none
   * @param kerberos absent: users cannot prove who they are
   * @param administrators users who see everything
   * @param lists whether jobs' lists count; else users see all jobs
   * @param lifetime of a login by cookie
   * @param groups for how long what the host says of a user's groups counts
   */
  public record Terms(
      Optional<byte[]> token,
      Optional<KerberosIdentity> kerberos,
      AccessList administrators,
      boolean lists,
      Duration lifetime,
      Duration groups) {}

  /**
   * Somebody has shown a good ticket.
   *
   * @param reply value of the header {@code WWW-Authenticate} of the answer
   */
  public record Negotiated(Login login, String reply) {}

  /**
   * Reads the keytab.
   *
   * @throws IOException when it cannot be used
   * @throws IllegalArgumentException when the rules for names cannot be read
   */
  public Rights(Terms terms, Clock clock) throws IOException {
    token = terms.token().map(byte[]::clone);
    tickets =
        terms.kerberos().isEmpty()
            ? Optional.empty()
            : Optional.of(TicketDesk.open(terms.kerberos().get()));
    seal = LoginSeal.of(token);
    administrators = terms.administrators();
    jobs = new JobRights(terms.lists());
    groups = new HostGroups(terms.groups(), clock);
    lifetime = terms.lifetime();
    this.clock = clock;
  }

  /**
   * Reads the keytab, if one is set.
   *
   * @throws IOException when it cannot be used
   */
  public static void check(Terms terms) throws IOException {
    if (terms.kerberos().isPresent()) {
      TicketDesk.open(terms.kerberos().get());
    }
  }

  /** Whether anyone may see everything. */
  public boolean isOpen() {
    return token.isEmpty() && tickets.isEmpty();
  }

  /** Whether users come with Kerberos. */
  public boolean isKerberos() {
    return tickets.isPresent();
  }

  /** Whether there is a token. */
  public boolean isTokenSet() {
    return token.isPresent();
  }

  // ---- who asks

  /** Whether a text is the token; takes as long for one that is nearly right. */
  public boolean isToken(String given) {
    return token.isPresent()
        && MessageDigest.isEqual(token.get(), given.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * What a request proves without a ticket; empty: nothing.
   *
   * @param authorization value of the header; null: there is none
   * @param cookie value of the cookie; null: there is none
   */
  public Optional<Login> login(String authorization, String cookie) {
    if (isOpen() || isBorne(words(authorization))) {
      return Optional.of(Login.ALWAYS);
    }
    return cookie == null
        ? Optional.empty()
        : seal.open(cookie, clock.wallMs()).filter(this::still);
  }

  /** A login of a way that is not set any more does not count. */
  private boolean still(Login login) {
    return login.isUser() ? tickets.isPresent() : token.isPresent();
  }

  private static String[] words(String authorization) {
    return authorization == null ? new String[0] : authorization.strip().split("\\s+", 2);
  }

  private boolean isBorne(String[] words) {
    return words.length == 2
        && switch (words[0].toLowerCase(Locale.ROOT)) {
          case "bearer" -> isToken(words[1]);
          case "basic" -> isPassword(words[1]);
          default -> false;
        };
  }

  private boolean isPassword(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return isToken(pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      return false; // no base64, so no password either
    }
  }

  /** Whether a request bears a ticket that has to be looked at. */
  public boolean isNegotiation(String authorization) {
    String[] words = words(authorization);
    return tickets.isPresent()
        && words.length == 2
        && words[0].toLowerCase(Locale.ROOT).equals(NEGOTIATE);
  }

  /**
   * Looks at a ticket. Takes some milliseconds, and reads the keytab.
   *
   * @param authorization value of the header
   * @throws IOException when it is not good
   */
  public Negotiated negotiate(String authorization) throws IOException {
    byte[] ticket;
    try {
      ticket = Base64.getDecoder().decode(words(authorization)[1]);
    } catch (IllegalArgumentException e) {
      throw new IOException("Kerberos: the header Authorization has no base64", e);
    }
    TicketDesk.Guest guest = tickets.orElseThrow().open(ticket);
    String reply = Base64.getEncoder().encodeToString(guest.reply());
    return new Negotiated(
        new Login(guest.name(), untilMs()), ("Negotiate " + reply).stripTrailing());
  }

  private long untilMs() {
    return clock.wallMs() + lifetime.toMillis();
  }

  /** The login of one who has shown the token. */
  public Login ofToken() {
    return new Login("", untilMs());
  }

  /** The value of a cookie for a login. */
  public String cookie(Login login) {
    return seal.seal(login);
  }

  /** Whether a login still counts. */
  public boolean lasts(Login login) {
    return login.expiresMs() > clock.wallMs();
  }

  // ---- what he may see

  /** Who has logged in, with the groups that he is in now. May wait some seconds for the host. */
  public Viewer viewer(Login login) {
    if (!login.isUser()) {
      return Viewer.ALL;
    }
    Set<String> of = groups.of(login.user());
    return new Viewer(login.user(), of, administrators.allows(login.user(), of));
  }

  /** Who may see which job. */
  public JobRights jobs() {
    return jobs;
  }

  /** Ends questions to the host. */
  @Override
  public void close() {
    groups.close();
  }
}
