package dev.sailfish.ground.server.kerberos;

import dev.sailfish.ground.wire.kerberos.GssSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;

/**
 * A keytab that users' tickets for this server are opened with. It is read again for each ticket,
 * so a keytab that was replaced counts at once; no KDC is asked, now or later. Thread-safe.
 */
final class KerberosLogin {
  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String NAME = "sailfish-server";

  private final KerberosPrincipal principal;
  private final GSSCredential credential;

  private KerberosLogin(KerberosPrincipal principal, GSSCredential credential) {
    this.principal = principal;
    this.credential = credential;
  }

  /**
   * Logs in.
   *
   * @throws IOException when the file cannot be read or has no key of the principal, or krb5.conf
   *     cannot be used
   */
  static KerberosLogin open(String principal, Path keytab) throws IOException {
    String setting = "keytab=" + keytab + " principal=" + principal;
    if (!Files.isReadable(keytab)) {
      throw new IOException("Kerberos: keytab cannot be read: " + setting);
    }
    try {
      LoginContext login = new LoginContext(NAME, new Subject(), null, entry(principal, keytab));
      login.login();
      KerberosPrincipal self =
          login.getSubject().getPrincipals(KerberosPrincipal.class).iterator().next();
      if (KeyTab.getInstance(self, keytab.toFile()).getKeys(self).length == 0) {
        throw new IOException("Kerberos: keytab has no key of the principal: " + setting);
      }
      PrivilegedExceptionAction<GSSCredential> acquire =
          () ->
              GSSManager.getInstance()
                  .createCredential(
                      null,
                      GSSCredential.INDEFINITE_LIFETIME,
                      GssSession.mechanism(),
                      GSSCredential.ACCEPT_ONLY);
      return new KerberosLogin(self, Subject.doAs(login.getSubject(), acquire));
    } catch (LoginException e) {
      throw new IOException("Kerberos: login failed: " + setting + ": " + e.getMessage(), e);
    } catch (PrivilegedActionException e) {
      throw new IOException("Kerberos: login failed: " + setting + ": " + e.getCause(), e);
    }
  }

  private static Configuration entry(String principal, Path keytab) {
    Map<String, String> options =
        Map.of(
            "principal", principal,
            "keyTab", keytab.toAbsolutePath().toString(),
            "useKeyTab", "true",
            "storeKey", "true",
            "isInitiator", "false",
            "doNotPrompt", "true");
    AppConfigurationEntry entry =
        new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options);
    return new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        return new AppConfigurationEntry[] {entry};
      }
    };
  }

  /** Whose keytab it is, with host and realm. */
  String principal() {
    return principal.getName();
  }

  /** The realm of {@link #principal}. */
  String realm() {
    return principal.getRealm();
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
