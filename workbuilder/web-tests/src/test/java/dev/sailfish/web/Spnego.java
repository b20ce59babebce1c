package dev.sailfish.web;

import dev.sailfish.kdc.TestKdc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/** Both sides of what browsers and web servers say to each other with Kerberos. */
final class Spnego {
  static final String SERVICE = "HTTP/localhost";
  private static final String PREFIX = "Negotiate ";

  private Spnego() {}

  private static Oid mechanism() throws GSSException {
    return new Oid("1.3.6.1.5.5.2");
  }

  /** The value of the header {@code Authorization} of a user's browser; each counts once. */
  static String header(Subject user) throws IOException {
    return TestKdc.as(
        user,
        () -> {
          GSSManager manager = GSSManager.getInstance();
          GSSContext context =
              manager.createContext(
                  manager.createName(SERVICE.replace('/', '@'), GSSName.NT_HOSTBASED_SERVICE),
                  mechanism(),
                  null,
                  GSSContext.DEFAULT_LIFETIME);
          context.requestMutualAuth(true);
          byte[] token = context.initSecContext(new byte[0], 0, 0);
          context.dispose();
          return PREFIX + Base64.getEncoder().encodeToString(token);
        });
  }

  /** A web server that has a keytab. */
  static Subject service(Path keytab) throws LoginException {
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            "com.sun.security.auth.module.Krb5LoginModule",
            LoginModuleControlFlag.REQUIRED,
            Map.of(
                "principal", SERVICE + "@" + TestKdc.REALM,
                "keyTab", keytab.toString(),
                "useKeyTab", "true",
                "storeKey", "true",
                "isInitiator", "false",
                "doNotPrompt", "true"));
    Configuration configuration =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {entry};
          }
        };
    LoginContext login = new LoginContext("service", new Subject(), null, configuration);
    login.login();
    return login.getSubject();
  }

  /** The principal of whose ticket it is. */
  static String opened(Subject service, String header) throws IOException {
    byte[] token = Base64.getDecoder().decode(header.substring(PREFIX.length()));
    return TestKdc.as(
        service,
        () -> {
          GSSManager manager = GSSManager.getInstance();
          GSSCredential credential =
              manager.createCredential(
                  null, GSSCredential.INDEFINITE_LIFETIME, mechanism(), GSSCredential.ACCEPT_ONLY);
          GSSContext context = manager.createContext(credential);
          context.acceptSecContext(token, 0, token.length);
          return context.getSrcName().toString();
        });
  }
}
