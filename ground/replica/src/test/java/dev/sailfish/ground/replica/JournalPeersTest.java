package dev.sailfish.ground.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.journal.PeerConnection;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a connection to another peer does when that one answers, refuses, or is silent. */
@Timeout(60)
class JournalPeersTest {
  private static final byte[] MESSAGE = {1, 2, 3};
  private static final Service SERVICE = new Service(192, 192);
  private static final Operation<JournalRequest, EmptyResponse> JOURNAL =
      SERVICE.operation(192, "JOURNAL", Operation.Caller.CLUSTER);

  /** Answers 2 with its bytes and its code, refuses 1, and says nothing to others. */
  private static final RequestHandler ECHO =
      request -> {
        int kind = request.header(JournalRequest.parser()).getMessage();
        switch (kind) {
          case 2 ->
              request.reply(
                  EmptyResponse.getDefaultInstance(),
                  ByteBuffer.wrap(request.payload()),
                  ByteBuffer.wrap(new byte[] {(byte) kind}));
          case 1 -> throw new IOException("no vote today");
          default -> assertThat(request.connected()).isTrue();
        }
      };

  private FrameServer server;

  @BeforeEach
  void start() throws IOException {
    server = FrameServer.start(SERVICE, ServerConfig.of("peer", "127.0.0.1", 0), ECHO);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private PeerConnection open(Duration deadline) throws IOException {
    return new JournalPeers(JOURNAL, Network.SOCKETS, Credentials.none(), "test", deadline)
        .open(InetSocketAddress.createUnresolved("127.0.0.1", server.port()));
  }

  @Test
  void bringsAnswersAndRefusals() throws IOException {
    try (PeerConnection connection = open(Duration.ofSeconds(20))) {
      assertThat(connection.ask(2, MESSAGE)).containsExactly(1, 2, 3, 2);
      assertThatThrownBy(() -> connection.ask(1, MESSAGE))
          .isInstanceOf(RemoteException.class)
          .hasMessageContaining("no vote today");
      assertThat(connection.ask(2, new byte[0])).containsExactly(2);
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void aSilentPeerIsATimeout() throws IOException {
    try (PeerConnection connection = open(Duration.ofSeconds(2))) {
      assertThatThrownBy(() -> connection.ask(3, MESSAGE))
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessageContaining("no progress with");
    }
  }

  @Test
  void theEndOfTheOtherSideIsSeen() throws IOException {
    try (PeerConnection connection = open(Duration.ofSeconds(20))) {
      assertThat(connection.awaitEnd(10)).isFalse();
      assertThat(connection.ask(2, MESSAGE)).hasSize(4);
      server.close();
      await().until(() -> connection.awaitEnd(10));
      assertThat(connection.isOpen()).isFalse();
    }
    assertThatThrownBy(() -> open(Duration.ofSeconds(20)))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(ConnectException.class);
  }

  @Test
  void anInterruptIsOne() throws IOException {
    try (PeerConnection connection = open(Duration.ofSeconds(20))) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> connection.ask(3, MESSAGE))
          .isInstanceOf(InterruptedIOException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
