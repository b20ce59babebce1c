package dev.sailfish.ground.server.kerberos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Who a server is in Kerberos, and whom it takes for whom.
 *
 * @param principal {@code service/host@REALM}; its host may be {@link #HOST}; without a realm, that
 *     of krb5.conf
 * @param keytab with the principal's key
 * @param realms whose principals are users here, by the first part of their names; empty: that of
 *     the server's own principal
 * @param proxyUsers short names of those who may ask for tokens on behalf of others
 * @param proxyUsersKey where they are set, for messages
 * @param tokenLifetime of delegation tokens
 */
public record KerberosSettings(
    String principal,
    Path keytab,
    List<String> realms,
    List<String> proxyUsers,
    String proxyUsersKey,
    Duration tokenLifetime) {
  /** What stands for the host's name in a principal. */
  public static final String HOST = "_HOST";

  /** Keeps copies of the lists. */
  public KerberosSettings {
    realms = List.copyOf(realms);
    proxyUsers = List.copyOf(proxyUsers);
  }

  /**
   * The principal with the host's canonical name in it.
   *
   * @param host by which clients reach this server, or a wildcard address: this machine
   * @throws IOException when the name is needed and cannot be found out
   */
  public String principalOn(String host) throws IOException {
    if (!principal.contains("/" + HOST)) {
      return principal;
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      String name =
          (address.isAnyLocalAddress() ? InetAddress.getLocalHost() : address)
              .getCanonicalHostName();
      return principal.replace("/" + HOST, "/" + name.toLowerCase(Locale.ROOT));
    } catch (UnknownHostException e) {
      throw new IOException(
          "Kerberos: principal=%s needs the name of this host, which cannot be resolved: host=%s"
              .formatted(principal, host),
          e);
    }
  }
}
