package dev.sailfish.ground.replica;

import dev.sailfish.ground.journal.PeerConnection;
import dev.sailfish.ground.journal.PeerNetwork;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The way to the journals of other peers: over the port that all use, as the cluster's daemon that
 * this is, with TLS where the cluster has it.
 *
 * @param operation of the service, for the cluster's daemons, whose requests go to {@link
 *     Replica#receive}
 * @param caller who calls, for the other side's log
 * @param deadline of each connect and of each wait for an answer
 */
public record JournalPeers(
    Operation<JournalRequest, EmptyResponse> operation,
    Network network,
    Credentials credentials,
    String caller,
    Duration deadline)
    implements PeerNetwork {
  @Override
  public PeerConnection open(InetSocketAddress address) throws IOException {
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    Connection connection = Connection.open(network, resolved, caller, credentials, deadline);
    return new PeerConnection() {
      @Override
      public boolean isOpen() {
        return connection.isOpen();
      }

      @Override
      public byte[] ask(int kind, byte[] message) throws IOException {
        JournalRequest header = JournalRequest.newBuilder().setMessage(kind).build();
        return connection
            .exchange(operation, header, new PayloadReply(), ByteBuffer.wrap(message))
            .bytes();
      }

      @Override
      public void close() {
        connection.close();
      }
    };
  }
}
