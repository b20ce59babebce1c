package dev.sailfish.ground.server;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names and addresses that lead each host to itself, so that no other host can use them. */
public final class LoopbackName {
  private static final Pattern NAME =
      Pattern.compile(
          "localhost[46]?|localhost[46]?\\.localdomain[46]?|.*\\.localhost"
              + "|127(\\.\\d{1,3}){3}|::1|(0+:){7}0*1");

  private LoopbackName() {}

  /**
   * Whether a host's name or address leads each host to itself. What a host file makes of other
   * names does not count: it may say something else on another host. Asks no name service.
   */
  public static boolean is(String host) {
    return NAME.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  /** Whether an address is one of this host's own. */
  public static boolean isHere(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      // Nobody knows: then it is another host's, as most addresses are.
      return false;
    }
  }
}
