package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.kerberos.GssSession;
import dev.sailfish.ground.wire.kerberos.KeytabLogin;
import java.io.IOException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;

/**
 * Opens the Kerberos tickets that browsers send, wrapped as HTTP Negotiate has it (RFC 4559). One
 * token must be enough, as it is with Kerberos: nothing is kept between requests. Thread-safe; no
 * KDC is asked.
 */
final class TicketDesk {
  private static final int MOST_BYTES = 60_000;

  private final GSSCredential credential;
  private final NameRules names;

  /**
   * A user who has proved who he is.
   *
   * @param name short
   * @param reply by which the server proves who it is; may be empty
   */
  record Guest(String name, byte[] reply) {}

  private TicketDesk(GSSCredential credential, NameRules names) {
    this.credential = credential;
    this.names = names;
  }

  /**
   * Reads the keytab.
   *
   * @throws IOException when it cannot be used
   * @throws IllegalArgumentException when the rules for names cannot be read
   */
  static TicketDesk open(KerberosIdentity identity) throws IOException {
    KeytabLogin self = KeytabLogin.ofService(identity.principalHere(), identity.keytab());
    NameRules names = NameRules.of(identity.rules(), self.realm());
    return new TicketDesk(self.acceptor(Tickets.SPNEGO, GssSession.MECHANISM), names);
  }

  /**
   * Finds out whose ticket it is.
   *
   * @throws IOException when it is none, is not for this server, is not good any more, or its user
   *     has no name here
   */
  Guest open(byte[] token) throws IOException {
    if (token.length > MOST_BYTES) {
      throw new IOException("Kerberos: token is too long: bytes=" + token.length);
    }
    try {
      GSSContext context = GSSManager.getInstance().createContext(credential);
      try {
        byte[] reply = context.acceptSecContext(token, 0, token.length);
        if (!context.isEstablished() || context.getAnonymityState()) {
          throw new IOException("Kerberos: the token does not say who the user is");
        }
        String name = names.shortName(context.getSrcName().toString());
        return new Guest(name, reply == null ? new byte[0] : reply);
      } finally {
        context.dispose();
      }
    } catch (GSSException e) {
      throw new IOException("Kerberos: " + e.getMessage() + causes(e), e);
    } catch (RuntimeException e) {
      // The JDK's decoder of tokens lets some of its exceptions out.
      throw new IOException("Kerberos: token cannot be read: " + e, e);
    }
  }

  private static String causes(GSSException failure) {
    Throwable cause = failure.getCause();
    return cause == null ? "" : ": " + cause.getMessage();
  }
}
