package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Negotiation;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users who prove who they are in rounds, over sockets. */
class NegotiationTest {
  private final byte[] nonce = Handshake.nonce();
  private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
  private volatile boolean holding;
  private volatile byte[] session;
  private FrameServer server;

  /** Wants the tokens "one" and "two", in this order. */
  private final class TwoRounds implements Negotiation {
    private boolean first = true;

    @Override
    public void next(byte[] bound, byte[] token, Step step) {
      session = bound;
      Runnable work = () -> take(new String(token, StandardCharsets.US_ASCII), step);
      if (holding) {
        heldBack.add(work);
      } else {
        work.run();
      }
    }

    private void take(String token, Step step) {
      if (first && token.equals("one")) {
        first = false;
        step.more(bytes("first"));
      } else if (!first && token.equals("two")) {
        step.done(bytes("second"), Principal.ofUser("alice", NegotiationTest.this::handle));
      } else {
        step.refused(Status.UNAUTHENTICATED, "token is no good: " + token);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void handle(Request request) {
    request.reply(HelloResponse.newBuilder().setServer(request.principal().name()).build());
  }

  /** Users may come, and nobody else. */
  private final class Users implements Authenticator {
    @Override
    public void find(String name, byte[] keyId, Answer answer) {
      if (name.equals(Handshake.USER)) {
        answer.negotiate(new TwoRounds());
      } else {
        answer.refused(Status.UNAUTHENTICATED, "who is that?");
      }
    }

    @Override
    public void introduce(Introduced introduced, Answer answer) {
      answer.refused(Status.UNAUTHENTICATED, "no jobs here");
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("echo 1", "127.0.0.1", 0),
            request -> {
              throw new AssertionError("what users ask for is not for the server");
            },
            new Users(),
            new Metrics<>(ServerMetric.class));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static byte[] token(long correlation, String token) {
    return RawPeer.frame(
        Operation.AUTHENTICATE,
        correlation,
        AuthenticateRequest.newBuilder().setGssToken(ByteString.copyFromUtf8(token)).build());
  }

  private static byte[] request(long correlation) {
    return RawPeer.frame(EchoService.GREET, correlation, EchoRequest.getDefaultInstance());
  }

  private static String answer(RawPeer peer, long correlation) throws IOException {
    return AuthenticateResponse.parser()
        .parseFrom(peer.good(correlation))
        .getGssToken()
        .toStringUtf8();
  }

  @Test
  void aUserShouldComeInAfterTheLastRound() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(Handshake.USER, nonce);
      assertThat(hello.getNegotiate()).isTrue();
      assertThat(hello.getIntroduce()).isFalse();
      assertThat(hello.getServerProof()).isEqualTo(ByteString.EMPTY);
      peer.send(token(2, "one"));
      assertThat(answer(peer, 2)).isEqualTo("first");
      assertThat(session)
          .isEqualTo(ByteString.copyFrom(nonce).concat(hello.getServerNonce()).toByteArray());
      peer.send(token(3, "two"));
      assertThat(answer(peer, 3)).isEqualTo("second");
      peer.send(request(4));
      assertThat(HelloResponse.parser().parseFrom(peer.good(4)).getServer())
          .isEqualTo("user alice");
    }
  }

  @Test
  void aRequestShouldBeRefusedBetweenTheRounds() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(Handshake.USER, nonce);
      peer.send(token(2, "one"), request(3));
      assertThat(answer(peer, 2)).isEqualTo("first");
      assertThat(peer.refused(3, Status.UNAUTHENTICATED)).contains("AUTHENTICATE must come before");
      peer.ended();
    }
  }

  @Test
  void aTokenThatIsNoGoodShouldEndTheConnection() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(Handshake.USER, nonce);
      peer.send(token(2, "two"), request(3));
      assertThat(peer.refused(2, Status.UNAUTHENTICATED)).contains("token is no good: two");
      peer.ended();
    }
    assertThat(server.metrics().get(ServerMetric.UNAUTHENTICATED)).isPositive();
  }

  @Test
  void nothingShouldBeReadWhileATokenIsLookedAt() throws IOException {
    holding = true;
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(Handshake.USER, nonce);
      peer.send(token(2, "one"), token(3, "two"));
      await().atMost(Duration.ofSeconds(20)).until(() -> heldBack.size() == 1);
      heldBack.remove().run();
      assertThat(answer(peer, 2)).isEqualTo("first");
      await().atMost(Duration.ofSeconds(20)).until(() -> heldBack.size() == 1);
      heldBack.remove().run();
      assertThat(answer(peer, 3)).isEqualTo("second");
    }
  }

  @Test
  void aTokenAfterTheLastRoundShouldBeRefused() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(Handshake.USER, nonce);
      peer.send(token(2, "one"), token(3, "two"), token(4, "three"));
      answer(peer, 2);
      answer(peer, 3);
      assertThat(peer.refused(4, Status.BAD_REQUEST)).contains("AUTHENTICATE came twice");
    }
  }
}
