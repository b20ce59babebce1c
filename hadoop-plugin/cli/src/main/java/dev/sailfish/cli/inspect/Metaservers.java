package dev.sailfish.cli.inspect;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The metaservers that a command asks, of which one leads.
 *
 * @param addresses where they listen
 * @param credentials prove that the command may ask
 * @param network leads to them, and to the chunkservers
 */
public record Metaservers(
    List<InetSocketAddress> addresses, Credentials credentials, Network network) {
  /**
   * A connection to the one that leads.
   *
   * @param caller who asks, in the servers' logs
   * @param reply how long to wait for each reply
   */
  public MetaserverClient connect(String caller, Duration reply) throws IOException {
    return MetaserverClient.connect(network, addresses, caller, credentials, reply);
  }

  @Override
  public String toString() {
    return addresses.stream()
        .map(address -> address.getHostString() + ":" + address.getPort())
        .collect(Collectors.joining(","));
  }
}
