package dev.sailfish.localcluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Hands out TCP ports of the loopback address on which nobody listens.
 *
 * <p>Ports come from below the range from which the kernel takes the ports of outgoing connections
 * (32768 and up by default): a port from that range could be taken by any client between the moment
 * it is handed out and the moment the daemon listens.
 */
final class FreePorts {
  /** Where all daemons listen. */
  static final String HOST = "127.0.0.1";

  private static final int LOWEST = 14_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 1_000;

  private final RandomGenerator random;
  private final Set<Integer> handedOut = new HashSet<>();

  FreePorts(RandomGenerator random) {
    this.random = random;
  }

  /** A port that was free just now, and that this object hands out only once. */
  int next() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = random.nextInt(LOWEST, HIGHEST);
      if (!handedOut.contains(port) && isFree(port)) {
        handedOut.add(port);
        return port;
      }
    }
    throw new CommandException(
        "Found no free TCP port between " + LOWEST + " and " + HIGHEST + ".");
  }

  /** The loopback address with the {@link #next} port. */
  String address() {
    return HOST + ":" + next();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false; // in use: that is the question
    }
  }
}
