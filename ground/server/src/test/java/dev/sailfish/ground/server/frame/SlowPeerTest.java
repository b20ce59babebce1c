package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that are slow in a way that looks like progress, and peers that only sit there. */
class SlowPeerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final EmptyResponse EMPTY = EmptyResponse.getDefaultInstance();

  private final EchoHandler handler = new EchoHandler();
  private FrameServer server;

  private void start(ServerConfig.Limits limits, long frameMs) throws IOException {
    ServerConfig.Deadlines deadlines =
        new ServerConfig.Deadlines(Duration.ofMillis(frameMs), DEADLINE, DEADLINE, DEADLINE);
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("echo 1", "127.0.0.1", 0).withDeadlines(deadlines).withLimits(limits),
            handler);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Connection open(String caller) throws IOException {
    return Connection.open(new InetSocketAddress("127.0.0.1", server.port()), caller, DEADLINE);
  }

  private Socket begin(Operation<?, ?> operation, int payloadLength) throws IOException {
    Socket socket = new Socket("127.0.0.1", server.port());
    byte[] hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("loris")
            .build()
            .toByteArray();
    ByteBuffer frames = ByteBuffer.allocate(2 * FrameDescriptor.LENGTH + hello.length);
    FrameDescriptor.write(frames, Operation.HELLO, 0, 1, hello.length, 0);
    frames.put(hello);
    FrameDescriptor.write(frames, operation, 0, 2, 0, payloadLength);
    socket.setTcpNoDelay(true);
    socket.getOutputStream().write(frames.array());
    return socket;
  }

  /** A byte of payload now and then: the room for the block would be held for hours. */
  @Test
  void dropsAPeerWhosePayloadDrips() throws IOException {
    start(ServerConfig.Limits.DEFAULT, 400);
    try (Socket loris = begin(EchoService.STREAM, 10 << 20)) {
      OutputStream out = loris.getOutputStream();
      await()
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .ignoreExceptionsMatching(SocketException.class::isInstance)
          .until(
              () -> {
                if (server.metrics().get(ServerMetric.PEER_DEADLINES) == 1) {
                  return true;
                }
                out.write(1);
                return false;
              });
    }
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.aborted).hasValue(1));
  }

  /** More than the least in each deadline, but the whole takes several of them. */
  @Test
  void waitsForAPayloadThatComesSteadily() throws IOException {
    start(ServerConfig.Limits.DEFAULT, 2000);
    int length = 20 * PeerDeadlines.LEAST_PAYLOAD_BYTES;
    try (Socket steady = begin(EchoService.STREAM, length)) {
      OutputStream out = steady.getOutputStream();
      byte[] piece = new byte[PeerDeadlines.LEAST_PAYLOAD_BYTES / 4];
      int[] sent = {0};
      await()
          .atMost(DEADLINE.multipliedBy(3))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                out.write(piece);
                sent[0] += piece.length;
                return sent[0] == length;
              });
      await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.handled).hasValue(1));
    }
    assertThat(server.metrics().get(ServerMetric.PEER_DEADLINES)).isEqualTo(0);
  }

  /** Who announces much and sends nothing takes no room from others. */
  @Test
  void anAnnouncedPayloadTakesNoRoomFromOthers() throws IOException {
    ServerConfig.Limits d = ServerConfig.Limits.DEFAULT;
    int longest = 1 << 20;
    start(
        new ServerConfig.Limits(
            longest,
            2L * longest,
            d.receiveBytes(),
            d.outboundBytes(),
            100,
            d.connections(),
            d.unauthenticated()),
        60_000);
    List<Socket> announced = new ArrayList<>();
    try (Connection good = open("good client")) {
      for (int i = 0; i < 10; i++) {
        announced.add(begin(EchoService.COLLECT, longest));
      }
      await()
          .atMost(DEADLINE)
          .until(() -> server.metrics().get(ServerMetric.REQUESTS) >= 2 * announced.size() + 1);
      PayloadReply reply = new PayloadReply();
      good.send(EchoService.COLLECT, EMPTY, reply, ByteBuffer.allocate(longest));
      while (!reply.ended()) {
        good.poll();
      }
      assertThat(reply.error()).isNull();
      assertThat(reply.bytes()).hasSize(longest);
    } finally {
      for (Socket socket : announced) {
        socket.close();
      }
    }
  }

  @Test
  void idleConnectionsAreLimited() throws IOException {
    int limit = 2000;
    start(ServerConfig.Limits.DEFAULT.withConnections(limit), 60_000);
    List<Socket> idle = new ArrayList<>();
    try (Connection first = open("good client")) {
      for (int i = 0; i < limit + 100; i++) {
        idle.add(new Socket("127.0.0.1", server.port()));
      }
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () ->
                  assertThat(server.metrics().get(ServerMetric.CONNECTIONS_REFUSED))
                      .isEqualTo(idle.size() + 1 - limit));
      await().atMost(DEADLINE).until(() -> server.metrics().get(ServerMetric.CONNECTIONS) == limit);
      first.call(EchoService.NOTHING, EchoRequest.getDefaultInstance(), EmptyResponse.parser());
      for (Socket socket : idle) {
        socket.close();
      }
      await().atMost(DEADLINE).until(() -> server.metrics().get(ServerMetric.CONNECTIONS) == 1);
      open("another").close();
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }
}
