package dev.sailfish.ground.server.kerberos;

import dev.sailfish.ground.wire.kerberos.GssSession;
import dev.sailfish.ground.wire.kerberos.KeytabLogin;
import java.io.IOException;
import java.nio.file.Path;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;

/**
 * A keytab that users' tickets for this server are opened with. It is read again for each ticket,
 * so a keytab that was replaced counts at once; no KDC is asked, now or later. Thread-safe.
 */
final class KerberosLogin {
  private final KeytabLogin self;
  private final GSSCredential credential;

  private KerberosLogin(KeytabLogin self, GSSCredential credential) {
    this.self = self;
    this.credential = credential;
  }

  /**
   * Logs in.
   *
   * @throws IOException when the file cannot be read or has no key of the principal, or krb5.conf
   *     cannot be used
   */
  static KerberosLogin open(String principal, Path keytab) throws IOException {
    KeytabLogin login = KeytabLogin.ofService(principal, keytab);
    return new KerberosLogin(login, login.acceptor(GssSession.MECHANISM));
  }

  /** Whose keytab it is, with host and realm. */
  String principal() {
    return self.principal();
  }

  /** The realm of {@link #principal}. */
  String realm() {
    return self.realm();
  }

  /** What {@link GssSession#accept} needs. */
  GSSCredential credential() {
    return credential;
  }

  /** Forgets the key; never throws. */
  void close() {
    try {
      credential.dispose();
    } catch (GSSException e) {
      // The process ends, or has failed to start: the key is in its keytab all the same.
      return;
    }
  }
}
