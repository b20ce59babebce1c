package dev.sailfish.ground.wire.kerberos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
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
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;

/** A process that has logged in to Kerberos with a keytab. Thread-safe. */
public final class KeytabLogin {
  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String NAME = "sailfish";

  private final Subject subject;
  private final KerberosPrincipal principal;
  private final String setting;

  private KeytabLogin(Subject subject, String setting) {
    this.subject = subject;
    this.principal = subject.getPrincipals(KerberosPrincipal.class).iterator().next();
    this.setting = setting;
  }

  /**
   * For a service that opens tickets of others. No KDC is asked, now or later; the keytab is read
   * again for each ticket, so one that is replaced counts at once.
   *
   * @throws IOException when the file cannot be read or has no key of the principal, or krb5.conf
   *     cannot be used
   */
  public static KeytabLogin ofService(String principal, Path keytab) throws IOException {
    KeytabLogin login =
        login(principal, keytab, Map.of("storeKey", "true", "isInitiator", "false"));
    KerberosPrincipal self = login.principal;
    if (KeyTab.getInstance(self, keytab.toFile()).getKeys(self).length == 0) {
      throw new IOException("Kerberos: keytab has no key of the principal: " + login.setting);
    }
    return login;
  }

  /**
   * For a client of others' services. Asks the KDC for a ticket, for as long as krb5.conf lets it.
   *
   * @throws IOException when there is no ticket
   */
  public static KeytabLogin ofClient(String principal, Path keytab) throws IOException {
    return login(principal, keytab, Map.of("isInitiator", "true"));
  }

  private static KeytabLogin login(String principal, Path keytab, Map<String, String> more)
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
      LoginContext context = new LoginContext(NAME, new Subject(), null, configuration);
      context.login();
      return new KeytabLogin(context.getSubject(), setting);
    } catch (LoginException e) {
      throw new IOException("Kerberos: login failed: " + setting + ": " + e.getMessage(), e);
    }
  }

  /** Who has logged in, with host and realm. */
  public String principal() {
    return principal.getName();
  }

  /** The realm of {@link #principal}. */
  public String realm() {
    return principal.getRealm();
  }

  /** As whom others are asked. */
  public Subject subject() {
    return subject;
  }

  /**
   * What users' tickets are opened with; of a service.
   *
   * @param mechanisms of the GSS-API, as dotted numbers
   * @throws IOException when the login is not good for that
   */
  public GSSCredential acceptor(String... mechanisms) throws IOException {
    Oid[] oids = new Oid[mechanisms.length];
    PrivilegedExceptionAction<GSSCredential> acquire =
        () -> {
          for (int i = 0; i < oids.length; i++) {
            oids[i] = new Oid(mechanisms[i]);
          }
          return GSSManager.getInstance()
              .createCredential(
                  null, GSSCredential.INDEFINITE_LIFETIME, oids, GSSCredential.ACCEPT_ONLY);
        };
    try {
      return Subject.doAs(subject, acquire);
    } catch (PrivilegedActionException e) {
      throw new IOException("Kerberos: login failed: " + setting + ": " + e.getCause(), e);
    }
  }
}
