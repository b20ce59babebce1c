package dev.sailfish.ground.wire.kerberos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/** Principals of services, {@code service/host@REALM}, in which the host may be {@link #HOST}. */
public final class ServicePrincipal {
  /** What stands for the host's name. */
  public static final String HOST = "_HOST";

  private static final String PLACE = "/" + HOST;

  private ServicePrincipal() {}

  /** Whether a host is to be named in it. */
  static boolean needsHost(String principal) {
    return principal.contains(PLACE);
  }

  /** The principal with the host's canonical name in it, in lower case. */
  static String at(String principal, InetAddress host) {
    String name = host.getCanonicalHostName().toLowerCase(Locale.ROOT);
    return principal.replace(PLACE, "/" + name);
  }

  /**
   * The same for a service of this machine.
   *
   * @param host by which clients reach it, or a wildcard address: this machine
   * @throws IOException when the name is needed and cannot be found out
   */
  public static String here(String principal, String host) throws IOException {
    if (!needsHost(principal)) {
      return principal;
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      return at(principal, address.isAnyLocalAddress() ? InetAddress.getLocalHost() : address);
    } catch (UnknownHostException e) {
      throw new IOException(
          "Kerberos: principal=%s needs the name of this host, which cannot be resolved: host=%s"
              .formatted(principal, host),
          e);
    }
  }
}
