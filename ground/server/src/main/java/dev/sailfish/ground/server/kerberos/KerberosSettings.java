package dev.sailfish.ground.server.kerberos;

import dev.sailfish.ground.wire.kerberos.ServicePrincipal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Who a server is in Kerberos, and whom it takes for whom.
 *
 * @param principal {@code service/host@REALM}; its host may be {@link ServicePrincipal#HOST};
 *     without a realm, that of krb5.conf
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
    return ServicePrincipal.here(principal, host);
  }
}
