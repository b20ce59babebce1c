package dev.sailfish.chunkserver;

import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.client.Connection;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The metaserver behind a socket. */
final class SocketMetaserverLink implements MetaserverLink {
  private final Connection connection;

  private SocketMetaserverLink(Connection connection) {
    this.connection = connection;
  }

  /**
   * Connects.
   *
   * @param address may be unresolved: it is looked up at each call, because addresses change
   * @param deadline of each wait; longer than the metaserver waits with a heartbeat
   */
  static MetaserverLink open(InetSocketAddress address, String caller, Duration deadline)
      throws IOException {
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    return new SocketMetaserverLink(Connection.open(resolved, caller, deadline));
  }

  @Override
  public RegisterChunkserverResponse register(RegisterChunkserverRequest request)
      throws IOException {
    return connection.call(
        Operation.REGISTER_CHUNKSERVER, request, RegisterChunkserverResponse.parser());
  }

  @Override
  public HeartbeatResponse heartbeat(HeartbeatRequest request) throws IOException {
    return connection.call(Operation.HEARTBEAT, request, HeartbeatResponse.parser());
  }

  @Override
  public void close() {
    connection.close();
  }
}
