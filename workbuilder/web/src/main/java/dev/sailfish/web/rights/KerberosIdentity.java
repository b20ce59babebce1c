package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.kerberos.ServicePrincipal;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Who the web process is in Kerberos.
 *
 * @param principal whose tickets browsers send, {@code HTTP/host@REALM}; its host may be {@code
 *     _HOST}
 * @param client as whom the process asks YARN; empty: as {@code principal}
 * @param keytab with the keys of both
 * @param rules as {@code hadoop.security.auth_to_local}; may be empty
 */
public record KerberosIdentity(String principal, String client, Path keytab, String rules) {
  private static final String ANY = "0.0.0.0"; // this machine

  /**
   * Reads rules for names.
   *
   * @throws IllegalArgumentException naming the place that cannot be read
   */
  public static void checkRules(String rules) {
    NameRules.of(rules, "");
  }

  /**
   * The principal with the name of this host in it.
   *
   * @throws IOException when that is needed and cannot be found out
   */
  String principalHere() throws IOException {
    return here(principal);
  }

  /**
   * As whom others are asked, with the name of this host in it.
   *
   * @throws IOException when that is needed and cannot be found out
   */
  String clientHere() throws IOException {
    return here(client.isEmpty() ? principal : client);
  }

  private static String here(String name) throws IOException {
    return ServicePrincipal.here(name, ANY);
  }
}
