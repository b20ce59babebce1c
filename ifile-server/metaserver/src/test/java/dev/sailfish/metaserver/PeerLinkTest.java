package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.JournalRequest;
import dev.sailfish.transport.FrameServer;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.ServerConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a link to another metaserver does when that one answers, refuses, is silent, or restarts.
 */
@Timeout(60)
class PeerLinkTest {
  private static final byte[] MESSAGE = {1, 2, 3};

  /** Answers an append with its bytes and its code, and nothing else. */
  private static final RequestHandler ECHO =
      request -> {
        int code = request.header(JournalRequest.parser()).getMessage();
        switch (RaftMessage.ofCode(code)) {
          case APPEND_ENTRIES ->
              request.reply(
                  EmptyResponse.getDefaultInstance(),
                  ByteBuffer.wrap(request.payload()),
                  ByteBuffer.wrap(new byte[] {(byte) code}));
          case REQUEST_VOTE -> throw new IOException("no vote today");
          default -> assertThat(request.connected()).isTrue();
        }
      };

  private FrameServer server;
  private PeerLink link;

  @BeforeEach
  void start() throws IOException {
    server = FrameServer.start(IfileService.SERVICE, ServerConfig.of("peer", "127.0.0.1", 0), ECHO);
    link = link(Duration.ofSeconds(20));
  }

  private PeerLink link(Duration deadline) {
    return new PeerLink(
        Network.SOCKETS,
        Credentials.none(),
        "test",
        InetSocketAddress.createUnresolved("127.0.0.1", server.port()),
        deadline);
  }

  @AfterEach
  void stop() {
    link.close();
    server.close();
  }

  @Test
  void bringsTheAnswer() throws IOException {
    assertThat(link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE)).containsExactly(1, 2, 3, 2);
    assertThat(link.ask(RaftMessage.APPEND_ENTRIES, new byte[0])).containsExactly(2);
  }

  @Test
  void bringsARefusalAndGoesOn() throws IOException {
    assertThatThrownBy(() -> link.ask(RaftMessage.REQUEST_VOTE, MESSAGE))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("no vote today");
    assertThat(link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE)).hasSize(4);
  }

  @Test
  void findsAPeerAgainThatWasRestarted() throws IOException {
    link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE);
    int port = server.port();
    server.close();
    assertThatThrownBy(() -> link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot connect");
    server =
        FrameServer.start(IfileService.SERVICE, ServerConfig.of("peer", "127.0.0.1", port), ECHO);
    link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE);
    server.close();
    server =
        FrameServer.start(IfileService.SERVICE, ServerConfig.of("peer", "127.0.0.1", port), ECHO);
    assertThat(link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE))
        .as("the connection that the restart has broken costs no failure")
        .hasSize(4);
  }

  @Test
  void aSilentPeerIsAFailureAndNoInterrupt() {
    try (PeerLink impatient = link(Duration.ofMillis(200))) {
      assertThatThrownBy(() -> impatient.ask(RaftMessage.INSTALL_SNAPSHOT, MESSAGE))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(InterruptedIOException.class)
          .hasMessageContaining("no progress with");
    }
  }

  @Test
  void anInterruptIsOne() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE))
          .isInstanceOf(InterruptedIOException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aClosedLinkConnectsNoMore() {
    link.close();
    assertThatThrownBy(() -> link.ask(RaftMessage.APPEND_ENTRIES, MESSAGE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("this metaserver ends");
  }
}
