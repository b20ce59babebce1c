package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a link to another peer does when that one answers, refuses, is silent, or restarts. */
@Timeout(60)
class PeerLinkTest {
  private static final byte[] MESSAGE = {1, 2, 3};

  private SocketPeers.Listener listener;
  private PeerLink link;

  /** Answers appends with their bytes, refuses votes, and is silent to all else. */
  private static CompletableFuture<byte[]> answer(int kind, byte[] message) {
    return switch (kind) {
      case 2 -> CompletableFuture.completedFuture(message);
      case 1 -> CompletableFuture.failedFuture(new IOException("no vote today"));
      default -> new CompletableFuture<>();
    };
  }

  @BeforeEach
  void start() throws IOException {
    listener = new SocketPeers.Listener(0, PeerLinkTest::answer);
    link = link(20_000);
  }

  private PeerLink link(int timeoutMs) {
    return new PeerLink(
        new SocketPeers(timeoutMs),
        InetSocketAddress.createUnresolved("localhost", listener.port()));
  }

  @AfterEach
  void stop() throws IOException {
    link.close();
    listener.close();
  }

  @Test
  void bringsAnswersAndRefusals() throws IOException {
    assertThat(link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE)).containsExactly(1, 2, 3);
    assertThatThrownBy(() -> link.ask(PeerMessage.REQUEST_VOTE, MESSAGE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no vote today");
    assertThat(link.ask(PeerMessage.APPEND_ENTRIES, new byte[0])).isEmpty();
  }

  @Test
  void findsAPeerAgainThatWasRestarted() throws IOException {
    link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE);
    int port = listener.port();
    listener.close();
    assertThatThrownBy(() -> link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE))
        .isInstanceOf(IOException.class);
    listener = new SocketPeers.Listener(port, PeerLinkTest::answer);
    link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE);
    listener.close();
    listener = new SocketPeers.Listener(port, PeerLinkTest::answer);
    assertThat(link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE))
        .as("the connection that the restart has broken costs no failure")
        .hasSize(3);
  }

  @Test
  void aSilentPeerIsAFailureAndNoInterrupt() {
    try (PeerLink impatient = link(200)) {
      assertThatThrownBy(() -> impatient.ask(PeerMessage.INSTALL_SNAPSHOT, MESSAGE))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(InterruptedIOException.class);
    }
  }

  @Test
  void aClosedLinkConnectsNoMore() {
    link.close();
    assertThatThrownBy(() -> link.ask(PeerMessage.APPEND_ENTRIES, MESSAGE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("this process ends");
  }
}
