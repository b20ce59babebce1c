package dev.sailfish.chunkserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Opens a link to one metaserver after the other: a link is used until it fails, and one to a
 * metaserver that does not lead fails at its first request.
 */
final class MetaserverLinks implements MetaserverLink.Factory {
  private final List<InetSocketAddress> addresses;
  private final String caller;
  private final Duration deadline;
  private int opened;

  /**
   * @param addresses at least one; may be unresolved
   * @param deadline of each wait; longer than the metaserver waits with a heartbeat
   */
  MetaserverLinks(List<InetSocketAddress> addresses, String caller, Duration deadline) {
    this.addresses = addresses;
    this.caller = caller;
    this.deadline = deadline;
  }

  @Override
  public MetaserverLink open() throws IOException {
    InetSocketAddress address = addresses.get(opened++ % addresses.size());
    return SocketMetaserverLink.open(address, caller, deadline);
  }
}
