package dev.sailfish.ground.replica;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.journal.PeerConnection;
import dev.sailfish.ground.journal.PeerNetwork;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
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
  /** Of a port that takes messages of peers: a quarter of the heap at most for what waits. */
  public static final ServerConfig.Limits LIMITS =
      ServerConfig.Limits.DEFAULT
          .withCollectedTotal(
              Math.max(
                  Journal.LONGEST_MESSAGE_BYTES,
                  Math.min(
                      ServerConfig.Limits.DEFAULT.collectedTotalBytes(),
                      Runtime.getRuntime().maxMemory() / 4)))
          .withCollected(Journal.LONGEST_MESSAGE_BYTES);

  private static final Duration DEADLINE = Duration.ofSeconds(3);

  /**
   * The way for a daemon with these settings.
   *
   * @throws IOException when the secret or the keys of TLS cannot be used
   */
  public static JournalPeers of(
      Operation<JournalRequest, EmptyResponse> operation,
      JournalSettings journal,
      DaemonSettings daemon)
      throws IOException {
    return new JournalPeers(
        operation,
        journal.peers().isEmpty() ? Network.SOCKETS : daemon.network(),
        daemon.credentials(),
        journal.service() + " " + journal.peer(),
        DEADLINE);
  }

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
      public boolean awaitEnd(long waitMs) throws InterruptedIOException {
        try {
          connection.pollFor(waitMs);
          return !connection.isOpen();
        } catch (InterruptedIOException e) {
          throw e;
        } catch (IOException e) {
          return true; // this is how it ends
        }
      }

      @Override
      public void close() {
        connection.close();
      }
    };
  }
}
