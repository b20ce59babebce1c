package dev.sailfish.kdc;

import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A real KDC in this process, and this process a client of it, one at a time. */
public final class TestKdc implements Closeable {
  public static final String REALM = "SAILFISH.TEST";
  private static final String HOST = "localhost";
  private static final String CONFIGURATION = "java.security.krb5.conf";

  private final Path directory;
  private final SimpleKdcServer server;

  private TestKdc(Path directory, SimpleKdcServer server) {
    this.directory = directory;
    this.server = server;
  }

  public static TestKdc start(Path directory) throws KrbException, IOException {
    SimpleKdcServer server = new SimpleKdcServer();
    server.setWorkDir(directory.toFile());
    server.setKdcRealm(REALM);
    server.setKdcHost(HOST);
    server.setAllowUdp(false);
    server.setKdcTcpPort(FreePort.next());
    server.init();
    server.start();
    System.setProperty(CONFIGURATION, directory.resolve("krb5.conf").toString());
    refresh();
    return new TestKdc(directory, server);
  }

  /** The JDK reads krb5.conf once, unless a login tells it to do so again. */
  private static void refresh() throws IOException {
    try {
      LoginContext context =
          new LoginContext("refresh", new Subject(), null, entry(Map.of("doNotPrompt", "true")));
      context.login();
    } catch (LoginException e) {
      // There is nothing to log in with; the file was read before that was noticed.
      if (e.getMessage() == null) {
        throw new IOException(e);
      }
    }
  }

  private static Configuration entry(Map<String, String> options) {
    Map<String, String> all = new HashMap<>(options);
    all.put("refreshKrb5Config", "true");
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            "com.sun.security.auth.module.Krb5LoginModule", LoginModuleControlFlag.REQUIRED, all);
    return new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        return new AppConfigurationEntry[] {entry};
      }
    };
  }

  /** Makes principals of new random keys, and a keytab with them. */
  public Path keytab(String... names) throws KrbException {
    Path keytab = directory.resolve(UUID.randomUUID() + ".keytab");
    for (String name : names) {
      String principal = name + "@" + REALM;
      if (server.getKadmin().getPrincipals().contains(principal)) {
        continue;
      }
      server.createPrincipal(principal);
      server.exportPrincipal(principal, keytab.toFile());
    }
    return keytab;
  }

  /** Logs a user in, as kinit does. */
  public static Subject login(String name, Path keytab) throws LoginException {
    LoginContext context =
        new LoginContext(
            "user",
            new Subject(),
            null,
            entry(
                Map.of(
                    "useKeyTab",
                    "true",
                    "keyTab",
                    keytab.toString(),
                    "principal",
                    name + "@" + REALM,
                    "doNotPrompt",
                    "true")));
    context.login();
    return context.getSubject();
  }

  /** Does something with a user's ticket. */
  public static <T> T as(Subject user, PrivilegedExceptionAction<T> action) throws IOException {
    try {
      return Subject.doAs(user, action);
    } catch (PrivilegedActionException e) {
      if (e.getCause() instanceof IOException known) {
        throw known;
      }
      throw new IOException(e.getCause());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      server.stop();
    } catch (KrbException e) {
      throw new IOException(e);
    } finally {
      System.clearProperty(CONFIGURATION);
    }
  }
}
