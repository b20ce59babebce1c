package dev.sailfish.chunkserver;

import dev.sailfish.ground.server.LoopbackName;
import dev.sailfish.ground.server.guard.StandingWarnings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What an operator may have set wrongly, and what this server can notice of it: that it finds no
 * metaserver, and that it has a name which leads all others to themselves. Names that cannot be
 * resolved are noticed by the metaserver. Used by the heartbeat's thread.
 */
final class Surroundings {
  private static final String METASERVER = "metaserver";
  private static final String HOST = "host";

  private final String host;
  private final List<InetSocketAddress> metaservers;
  private final StandingWarnings warnings;

  /**
   * @param host what clients are told
   * @param metaservers may be unresolved
   */
  Surroundings(String host, List<InetSocketAddress> metaservers, StandingWarnings warnings) {
    this.host = host;
    this.metaservers = List.copyOf(metaservers);
    this.warnings = warnings;
  }

  /** No metaserver takes this server now. */
  void alone(IOException cause) {
    String addresses =
        metaservers.stream()
            .map(address -> address.getHostString() + ":" + address.getPort())
            .collect(Collectors.joining(","));
    warnings.raise(
        METASERVER,
        "metaserver is out of reach, trying again; until it is there, no new task uses this server:"
            + " does it run, and is "
            + ChunkserverKey.METASERVER_ADDRESS.name()
            + "="
            + addresses
            + " right?",
        cause.toString());
  }

  /** A metaserver has taken this server. */
  void registered() {
    warnings.clear(METASERVER);
    Optional<InetSocketAddress> elsewhere =
        LoopbackName.is(host)
            ? metaservers.stream().filter(address -> !isHere(address)).findFirst()
            : Optional.empty();
    if (elsewhere.isEmpty()) {
      warnings.clear(HOST);
      return;
    }
    warnings.raise(
        HOST,
        ChunkserverKey.HOST.name()
            + "="
            + host
            + " leads each host to itself, and the metaserver "
            + elsewhere.get().getHostString()
            + " is on another one: tasks there cannot reach this server; set it to the name by which"
            + " other hosts know this one",
        "");
  }

  private static boolean isHere(InetSocketAddress metaserver) {
    try {
      return LoopbackName.isHere(InetAddress.getByName(metaserver.getHostString()));
    } catch (UnknownHostException e) {
      // One of several that is not there; those that are decide.
      return true;
    }
  }
}
