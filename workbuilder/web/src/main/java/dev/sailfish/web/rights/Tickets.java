package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.kerberos.KeytabLogin;
import dev.sailfish.web.source.Negotiator;
import java.io.IOException;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Base64;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/**
 * Has this process prove who it is at YARN's web servers, with tickets that it gets with its
 * keytab; a new one before the old one ends. Thread-safe. The KDC is waited for as long as
 * krb5.conf lets it, at each server's first question and once a ticket's lifetime.
 */
public final class Tickets implements Negotiator {
  /** The mechanism that HTTP negotiates with, in which Kerberos is wrapped. */
  static final String SPNEGO = "1.3.6.1.5.5.2";

  private static final Duration EARLY = Duration.ofMinutes(2);

  private final KerberosIdentity identity;
  private final Clock clock;
  private KeytabLogin login;

  /** Does not log in yet. */
  public Tickets(KerberosIdentity identity, Clock clock) {
    this.identity = identity;
    this.clock = clock;
  }

  @Override
  public String token(String host) throws IOException {
    PrivilegedExceptionAction<byte[]> begin = () -> begin(host);
    try {
      return Base64.getEncoder().encodeToString(Subject.doAs(loggedIn().subject(), begin));
    } catch (PrivilegedActionException e) {
      throw new IOException("Kerberos: no ticket for HTTP@" + host + ": " + e.getCause(), e);
    }
  }

  private static byte[] begin(String host) throws GSSException {
    GSSManager manager = GSSManager.getInstance();
    GSSContext context =
        manager.createContext(
            manager.createName("HTTP@" + host, GSSName.NT_HOSTBASED_SERVICE),
            new Oid(SPNEGO),
            null,
            GSSContext.DEFAULT_LIFETIME);
    try {
      context.requestMutualAuth(true);
      context.requestCredDeleg(false);
      return context.initSecContext(new byte[0], 0, 0);
    } finally {
      context.dispose();
    }
  }

  private synchronized KeytabLogin loggedIn() throws IOException {
    if (login == null || !lasts(login.subject())) {
      login = KeytabLogin.ofClient(identity.clientHere(), identity.keytab());
    }
    return login;
  }

  /** Whether the ticket that others are got with is good for some time. */
  private boolean lasts(Subject known) {
    long soon = clock.wallMs() + EARLY.toMillis();
    return known.getPrivateCredentials(KerberosTicket.class).stream()
        .filter(ticket -> ticket.getServer().getName().startsWith("krbtgt/"))
        .anyMatch(ticket -> ticket.getEndTime() != null && ticket.getEndTime().getTime() > soon);
  }
}
