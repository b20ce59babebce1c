package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.message.EchoResponse;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a well-behaved client sees. */
@Seeded
class FrameServerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final EmptyResponse EMPTY = EmptyResponse.getDefaultInstance();

  private final EchoHandler handler = new EchoHandler();
  private FrameServer server;
  private Connection connection;

  @BeforeEach
  void start() throws IOException {
    server =
        FrameServer.start(EchoService.SERVICE, ServerConfig.of("echo 1", "127.0.0.1", 0), handler);
    connection = connect();
  }

  @AfterEach
  void stop() {
    connection.close();
    server.close();
  }

  private Connection connect() throws IOException {
    return Connection.open(new InetSocketAddress("127.0.0.1", server.port()), "test", DEADLINE);
  }

  private PayloadReply call(Operation<?, ?> operation, ByteBuffer... payload) throws IOException {
    PayloadReply reply = new PayloadReply();
    connection.send(operation, EMPTY, reply, payload);
    finish(reply);
    return reply;
  }

  private void finish(PayloadReply reply) throws IOException {
    while (!reply.ended()) {
      connection.poll();
    }
  }

  @Test
  void namesItself() {
    assertThat(connection.server()).isEqualTo("echo 1");
  }

  @Test
  void streamsLargePayloadInBothDirectionsInFewPieces(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 48 << 20);
    PayloadReply reply = call(EchoService.STREAM, ByteBuffer.wrap(bytes));
    assertThat(reply.error()).isNull();
    assertThat(reply.bytes()).isEqualTo(bytes);
    assertThat(handler.pieces.get()).isLessThan(48 * 64);
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.released).hasValue(1));
  }

  @Test
  void collectsPayloadThatNoSinkTakes(SplittableRandom random) throws IOException {
    for (int length : new int[] {1, 65_535, 65_537, 5 << 20}) {
      byte[] bytes = TestBytes.random(random, length);
      assertThat(call(EchoService.COLLECT, ByteBuffer.wrap(bytes)).bytes()).isEqualTo(bytes);
    }
    assertThat(call(EchoService.COLLECT).bytes()).isEmpty();
  }

  @Test
  void answersManyOutstandingRequestsInAnyOrder() throws IOException {
    List<PayloadReply> replies = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      PayloadReply reply = new PayloadReply();
      replies.add(reply);
      connection.send(EchoService.WAIT, EchoRequest.newBuilder().setJob("job_" + i).build(), reply);
    }
    await().atMost(DEADLINE).until(() -> handler.waiting.size() == 3000);
    List<Request> requests = new ArrayList<>(handler.waiting);
    for (int i = requests.size() - 1; i >= 0; i--) {
      requests.get(i).reply(EMPTY, ByteBuffer.allocate(4).putInt(0, i));
    }
    for (PayloadReply reply : replies) {
      finish(reply);
    }
    for (int i = 0; i < replies.size(); i++) {
      assertThat(ByteBuffer.wrap(replies.get(i).bytes()).getInt()).isEqualTo(i);
    }
  }

  @Test
  void goesOnAfterThePauseForTooManyOutstandingRequests() throws IOException {
    int limit = 16;
    ServerConfig.Limits d = ServerConfig.Limits.DEFAULT;
    ServerConfig config =
        ServerConfig.of("few", "127.0.0.1", 0)
            .withLimits(
                new ServerConfig.Limits(
                    d.collectedBytes(),
                    d.collectedTotalBytes(),
                    d.receiveBytes(),
                    d.outboundBytes(),
                    limit,
                    d.connections(),
                    d.unauthenticated()));
    try (FrameServer few = FrameServer.start(EchoService.SERVICE, config, handler);
        Connection client =
            Connection.open(new InetSocketAddress("127.0.0.1", few.port()), "test", DEADLINE)) {
      List<PayloadReply> replies = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        PayloadReply reply = new PayloadReply();
        replies.add(reply);
        client.send(EchoService.WAIT, EchoRequest.getDefaultInstance(), reply);
      }
      await().atMost(DEADLINE).until(() -> few.metrics().get(ServerMetric.READ_PAUSES) > 0);
      assertThat(handler.handled).hasValue(limit);
      for (int i = 0; i < 100; i++) {
        await()
            .atMost(DEADLINE)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> !handler.waiting.isEmpty());
        assertThat(handler.waiting.size()).isLessThanOrEqualTo(limit);
        handler.waiting.remove().reply(EMPTY);
      }
      for (PayloadReply reply : replies) {
        while (!reply.ended()) {
          client.poll();
        }
      }
    }
  }

  @Test
  void answersWithAFile(@TempDir Path directory, SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 9 << 20);
    Path path = Files.write(directory.resolve("chunk"), bytes);
    try (FileChannel file = FileChannel.open(path)) {
      handler.file = file;
      handler.fileLength = bytes.length;
      for (int i = 1; i <= 3; i++) {
        assertThat(call(EchoService.FILE).bytes()).isEqualTo(bytes);
        int count = i;
        await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.released).hasValue(count));
      }
      handler.fileLength = 0;
      assertThat(call(EchoService.FILE).bytes()).isEmpty();
      assertThat(file.isOpen()).isTrue();
    }
  }

  @Test
  void breaksTheConnectionWhenAFileIsShorterThanPromised(@TempDir Path directory)
      throws IOException {
    Path path = Files.write(directory.resolve("chunk"), new byte[1000]);
    try (FileChannel file = FileChannel.open(path)) {
      handler.file = file;
      handler.fileLength = 2000;
      assertThatThrownBy(() -> call(EchoService.FILE)).isInstanceOf(IOException.class);
      await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.released).hasValue(1));
    }
  }

  @Test
  void passesHeadersThatAreTooLongForTheirFieldBothWays() throws IOException {
    EchoResponse.Builder answer = EchoResponse.newBuilder();
    for (int i = 0; i < 500; i++) {
      answer.addTexts("t".repeat(1000));
    }
    handler.longAnswer = answer.build();
    EchoRequest list = EchoRequest.getDefaultInstance();
    assertThat(connection.call(EchoService.LIST, list, EchoResponse.parser()))
        .isEqualTo(handler.longAnswer);

    EchoRequest request = EchoRequest.newBuilder().setJob("x".repeat(300_000)).build();
    PayloadReply reply = new PayloadReply();
    connection.send(EchoService.DESCRIBE, request, reply);
    finish(reply);
    assertThat(EchoRequest.parser().parseFrom(reply.bytes())).isEqualTo(request);
  }

  /** Buffers of a connection begin short: around their lengths, nothing of a frame is lost. */
  @Test
  void framesMayHaveAnyLength(SplittableRandom random) throws IOException {
    for (int around : new int[] {0, 8 << 10, 64 << 10, 128 << 10, 256 << 10}) {
      for (int round = 0; round < 20; round++) {
        connection.close();
        connection = connect();
        echoFramesOfAbout(around, random);
      }
    }
  }

  /** Has all of them on their way at once. */
  private void echoFramesOfAbout(int length, SplittableRandom random) throws IOException {
    List<byte[]> sent = new ArrayList<>();
    List<PayloadReply> replies = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      byte[] bytes = TestBytes.random(random, Math.max(1, length + random.nextInt(-99, 100)));
      PayloadReply reply = new PayloadReply();
      if (random.nextBoolean()) {
        connection.collect(EchoService.DESCRIBE, bytes, reply);
      } else {
        connection.send(EchoService.COLLECT, EMPTY, reply, ByteBuffer.wrap(bytes));
      }
      sent.add(bytes);
      replies.add(reply);
    }
    connection.flush();
    for (int i = 0; i < sent.size(); i++) {
      finish(replies.get(i));
      assertThat(replies.get(i).error()).isNull();
      assertThat(replies.get(i).bytes()).isEqualTo(sent.get(i));
    }
  }

  @Test
  void refusesAndGoesOn() throws IOException {
    assertThatThrownBy(
            () ->
                connection.call(
                    EchoService.REFUSE,
                    EchoRequest.newBuilder().setJob("job_7").build(),
                    EmptyResponse.parser()))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.JOB_UNKNOWN))
        .hasMessageContaining("job=job_7");
    assertThat(call(EchoService.COLLECT).error()).isNull();
  }

  @Test
  void turnsADefectIntoAnAnswer() throws IOException {
    PayloadReply reply = call(EchoService.FAIL);
    assertThat(reply.error().status()).isEqualTo(Status.INTERNAL);
    assertThat(reply.error()).hasMessageContaining("a defect of the handler");
    assertThat(call(EchoService.COLLECT).error()).isNull();
    assertThat(server.metrics().get(ServerMetric.HANDLER_ERRORS)).isEqualTo(1);
  }

  @Test
  void refusesBeforeThePayload() throws IOException {
    handler.refuseAfter.set(-1);
    PayloadReply reply = call(EchoService.STREAM, ByteBuffer.allocate(10 << 20));
    assertThat(reply.error().status()).isEqualTo(Status.CHUNK_FULL);
    assertThat(handler.handled).hasValue(0);
    assertThat(call(EchoService.COLLECT, ByteBuffer.allocate(100)).bytes()).hasSize(100);
  }

  @Test
  void refusesInTheMiddleOfThePayload() throws IOException {
    handler.refuseAfter.set(1 << 20);
    PayloadReply reply = call(EchoService.STREAM, ByteBuffer.allocate(10 << 20));
    assertThat(reply.error().status()).isEqualTo(Status.CORRUPT);
    assertThat(handler.handled).hasValue(0);
    assertThat(handler.aborted).hasValue(1);
    assertThat(call(EchoService.COLLECT, ByteBuffer.allocate(100)).bytes()).hasSize(100);
  }

  @Test
  void refusesToCollectMoreThanTheLimits() throws IOException {
    ServerConfig.Limits d = ServerConfig.Limits.DEFAULT;
    ServerConfig config =
        ServerConfig.of("small", "127.0.0.1", 0)
            .withLimits(
                new ServerConfig.Limits(
                    2048,
                    4000,
                    d.receiveBytes(),
                    d.outboundBytes(),
                    100,
                    d.connections(),
                    d.unauthenticated()));
    try (FrameServer small = FrameServer.start(EchoService.SERVICE, config, handler);
        Connection client =
            Connection.open(new InetSocketAddress("127.0.0.1", small.port()), "test", DEADLINE)) {
      assertThat(statusOf(client, EchoService.COLLECT, 3000)).isEqualTo(Status.BAD_REQUEST);
      PayloadReply held = new PayloadReply();
      client.send(EchoService.WAIT, EMPTY, held, ByteBuffer.allocate(2048));
      assertThat(statusOf(client, EchoService.COLLECT, 2000)).isEqualTo(Status.BUSY);
      await().atMost(DEADLINE).until(() -> !handler.waiting.isEmpty());
      handler.waiting.remove().reply(EMPTY);
      assertThat(statusOf(client, EchoService.COLLECT, 2000)).isNull();
    }
  }

  private static Status statusOf(Connection client, Operation<?, ?> operation, int length)
      throws IOException {
    PayloadReply reply = new PayloadReply();
    client.send(operation, EMPTY, reply, ByteBuffer.allocate(length));
    while (!reply.ended()) {
      client.poll();
    }
    return reply.error() == null ? null : reply.error().status();
  }

  @Test
  void oneAnswerPerRequest() throws IOException {
    assertThat(call(EchoService.ANSWER_TWICE).error()).isNull();
    assertThat(handler.secondAnswers).hasSize(1);
    assertThat(handler.secondAnswers.peek()).hasMessageContaining("caller=test");
  }

  @Test
  void closesWithOutstandingRequests() throws IOException {
    PayloadReply reply = new PayloadReply();
    connection.send(EchoService.WAIT, EMPTY, reply);
    await().atMost(DEADLINE).until(() -> !handler.waiting.isEmpty());
    long start = System.nanoTime();
    server.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThatThrownBy(() -> connection.poll())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed by");
    Request request = handler.waiting.remove();
    assertThat(request.connected()).isFalse();
    request.reply(EMPTY, handler.released::incrementAndGet, ByteBuffer.allocate(10));
    assertThat(handler.released).hasValue(1);
  }

  @Test
  void knowsWhoAsksNoMoreBeforeItHasItsAnswer() throws IOException {
    connection.send(EchoService.WAIT, EMPTY, new PayloadReply());
    await().atMost(DEADLINE).until(() -> !handler.waiting.isEmpty());
    Request request = handler.waiting.remove();
    assertThat(request.asksOn()).isTrue();
    connection.close();
    await().atMost(DEADLINE).until(() -> !request.asksOn());
    request.reply(EMPTY);
  }

  @Test
  void saysWhichAddressIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      assertThatThrownBy(
              () ->
                  FrameServer.start(
                      EchoService.SERVICE,
                      ServerConfig.of("echo 2", "127.0.0.1", taken.getLocalPort()),
                      handler))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("echo 2 cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void countsConnections() throws IOException {
    try (Connection other = connect()) {
      assertThat(other.isOpen()).isTrue();
      assertThat(server.metrics().get(ServerMetric.CONNECTIONS)).isEqualTo(2);
      assertThat(server.metrics().get(ServerMetric.CONNECTIONS_ACCEPTED)).isEqualTo(2);
    }
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> assertThat(server.metrics().get(ServerMetric.CONNECTIONS)).isEqualTo(1));
  }
}
