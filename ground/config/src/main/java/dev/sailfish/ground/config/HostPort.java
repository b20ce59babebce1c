package dev.sailfish.ground.config;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a server listens. Immutable.
 *
 * @param host a name or an address, as it was written, without brackets
 * @param port in 1..65535
 */
public record HostPort(String host, int port) {
  private static final long MAX_PORT = 0xffff;

  /**
   * Reads {@code host:port}; an IPv6 address is in brackets, as in {@code [::1]:80}.
   *
   * @throws IllegalArgumentException quoting a text that is no address
   */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    long port = Notation.number(text.substring(colon + 1));
    boolean bracketed = colon > 2 && text.charAt(0) == '[' && text.charAt(colon - 1) == ']';
    String host = bracketed ? text.substring(1, colon - 1) : text.substring(0, Math.max(colon, 0));
    if (host.isEmpty() || !isHost(host, bracketed) || port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not host:port with a port in 1..65535, nor [address]:port with an IPv6"
              + " address");
    }
    return new HostPort(host, (int) port);
  }

  /**
   * Reads one or several with commas between.
   *
   * @throws IllegalArgumentException quoting a part that is no address
   */
  public static List<HostPort> parseAll(String list) {
    List<HostPort> all = new ArrayList<>();
    int from = 0;
    for (int comma = list.indexOf(','); comma >= 0; comma = list.indexOf(',', from)) {
      all.add(parse(list.substring(from, comma).strip()));
      from = comma + 1;
    }
    all.add(parse(list.substring(from).strip()));
    return all;
  }

  private static boolean isHost(String host, boolean ipv6) {
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!plain && (ipv6 ? ":.%_-" : "._-").indexOf(c) < 0) {
        return false;
      }
    }
    return !ipv6 || host.indexOf(':') >= 0;
  }

  /** The address, its name not looked up. */
  public InetSocketAddress unresolved() {
    return InetSocketAddress.createUnresolved(host, port);
  }

  /** As it is written. */
  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
