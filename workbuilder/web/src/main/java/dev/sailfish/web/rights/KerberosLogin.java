package dev.sailfish.web.rights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.Oid;

/** Logs in with a keytab, and names what browsers negotiate. */
final class KerberosLogin {
  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String NAME = "sailfish-web";

  private KerberosLogin() {}

  /** The mechanism that browsers use, in which the other one is wrapped. */
  static Oid spnego() throws GSSException {
    return new Oid("1.3.6.1.5.5.2");
  }

  /** Kerberos itself. */
  static Oid kerberos() throws GSSException {
    return new Oid("1.2.840.113554.1.2.2");
  }

  /**
   * For a service that opens tickets of others. No KDC is asked, now or later; a keytab that is
   * replaced counts at once.
   *
   * @throws IOException when the keytab cannot be read or has no key of the principal, or krb5.conf
   *     cannot be used
   */
  static Subject service(String principal, Path keytab) throws IOException {
    Subject subject = login(principal, keytab, Map.of("storeKey", "true", "isInitiator", "false"));
    KerberosPrincipal self = principal(subject);
    if (KeyTab.getInstance(self, keytab.toFile()).getKeys(self).length == 0) {
      throw new IOException(
          "Kerberos: keytab has no key of the principal: keytab="
              + keytab
              + " principal="
              + principal);
    }
    return subject;
  }

  /**
   * For a client of others' services. Asks the KDC for a ticket, for as long as krb5.conf lets it.
   *
   * @throws IOException when there is no ticket
   */
  static Subject client(String principal, Path keytab) throws IOException {
    return login(principal, keytab, Map.of("isInitiator", "true"));
  }

  /** Who has logged in. */
  static KerberosPrincipal principal(Subject subject) {
    return subject.getPrincipals(KerberosPrincipal.class).iterator().next();
  }

  private static Subject login(String principal, Path keytab, Map<String, String> more)
      throws IOException {
    String setting = "keytab=" + keytab + " principal=" + principal;
    if (!Files.isReadable(keytab)) {
      throw new IOException("Kerberos: keytab cannot be read: " + setting);
    }
    Map<String, String> options = new HashMap<>(more);
    options.put("principal", principal);
    options.put("keyTab", keytab.toAbsolutePath().toString());
    options.put("useKeyTab", "true");
    options.put("doNotPrompt", "true");
    AppConfigurationEntry entry =
        new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options);
    Configuration configuration =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {entry};
          }
        };
    try {
      LoginContext login = new LoginContext(NAME, new Subject(), null, configuration);
      login.login();
      return login.getSubject();
    } catch (LoginException e) {
      throw new IOException("Kerberos: login failed: " + setting + ": " + e.getMessage(), e);
    }
  }
}
