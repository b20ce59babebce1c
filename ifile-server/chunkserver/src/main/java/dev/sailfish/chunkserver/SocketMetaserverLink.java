package dev.sailfish.chunkserver;

import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.SealedKey;
import dev.sailfish.protocol.client.Connection;
import dev.sailfish.protocol.client.Credentials;
import dev.sailfish.protocol.client.Network;
import dev.sailfish.protocol.wire.GetJobKeyRequest;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** The metaserver behind a socket. */
final class SocketMetaserverLink implements MetaserverLink {
  private final Connection connection;
  private final Optional<byte[]> secret;

  private SocketMetaserverLink(Connection connection, Optional<byte[]> secret) {
    this.connection = connection;
    this.secret = secret;
  }

  /**
   * Connects.
   *
   * @param network what the connection goes over
   * @param address may be unresolved: it is looked up at each call, because addresses change
   * @param secret the cluster secret; absent when nobody is authenticated
   * @param deadline of each wait; longer than the metaserver waits with a heartbeat
   */
  static MetaserverLink open(
      Network network,
      InetSocketAddress address,
      String caller,
      Optional<byte[]> secret,
      Duration deadline)
      throws IOException {
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    Credentials credentials = secret.map(Credentials::ofCluster).orElseGet(Credentials::none);
    return new SocketMetaserverLink(
        Connection.open(network, resolved, caller, credentials, deadline), secret);
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
  public byte[] jobKey(String job) throws IOException {
    GetJobKeyResponse answer =
        connection.call(
            Operation.GET_JOB_KEY,
            GetJobKeyRequest.newBuilder().setJob(job).build(),
            GetJobKeyResponse.parser());
    return SealedKey.open(secret.orElseThrow(), connection.session(), job, answer);
  }

  @Override
  public void close() {
    connection.close();
  }
}
