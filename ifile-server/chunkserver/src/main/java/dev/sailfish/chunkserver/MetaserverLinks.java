package dev.sailfish.chunkserver;

import dev.sailfish.protocol.client.Network;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Opens a link to one metaserver after the other: a link is used until it fails, and one to a
 * metaserver that does not lead fails at its first request.
 */
final class MetaserverLinks implements MetaserverLink.Factory {
  private final Network network;
  private final List<InetSocketAddress> addresses;
  private final String caller;
  private final Optional<byte[]> secret;
  private final Duration deadline;
  private int opened;

  /**
   * @param network what the links go over
   * @param addresses may be unresolved; without any no link opens
   * @param secret the cluster secret; absent when nobody is authenticated
   * @param deadline of each wait; longer than the metaserver waits with a heartbeat
   */
  MetaserverLinks(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Optional<byte[]> secret,
      Duration deadline) {
    this.network = network;
    this.addresses = addresses;
    this.caller = caller;
    this.secret = secret;
    this.deadline = deadline;
  }

  @Override
  public Network network() {
    return network;
  }

  @Override
  public MetaserverLink open() throws IOException {
    if (addresses.isEmpty()) {
      throw new IOException(
          ChunkserverKey.METASERVER_ADDRESS.name() + "=none: no metaserver knows a job's key");
    }
    InetSocketAddress address = addresses.get(opened++ % addresses.size());
    return SocketMetaserverLink.open(network, address, caller, secret, deadline);
  }
}
