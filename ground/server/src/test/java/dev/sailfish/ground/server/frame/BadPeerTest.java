package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a peer sees that breaks the protocol, is slow, or leaves; over plain sockets. */
@Seeded
class BadPeerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final EchoHandler handler = new EchoHandler();
  private FrameServer server;
  private Socket socket;
  private OutputStream out;
  private DataInputStream in;

  /** One frame as a plain socket reads it. */
  private record Answer(int flags, long correlation, byte[] header, byte[] payload) {
    ErrorResponse error() throws IOException {
      assertThat(flags).isEqualTo(FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_ERROR);
      return ErrorResponse.parser().parseFrom(header);
    }
  }

  @BeforeEach
  void start() throws IOException {
    start(ServerConfig.Deadlines.DEFAULT);
  }

  private void start(ServerConfig.Deadlines deadlines) throws IOException {
    stop();
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("echo 1", "127.0.0.1", 0).withDeadlines(deadlines),
            handler);
    socket = new Socket();
    socket.setReceiveBufferSize(64 << 10);
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
    socket.setSoTimeout((int) DEADLINE.toMillis());
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
  }

  @AfterEach
  void stop() throws IOException {
    if (socket != null) {
      socket.close();
      server.close();
    }
  }

  private static byte[] frame(
      Operation<?, ?> operation, int flags, long correlation, byte[] header, int payloadLength) {
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + header.length);
    FrameDescriptor.write(frame, operation, flags, correlation, header.length, payloadLength);
    frame.put(header);
    return frame.array();
  }

  private static byte[] hello(int version) {
    return frame(
        Operation.HELLO,
        0,
        1,
        HelloRequest.newBuilder()
            .setProtocolVersion(version)
            .setCaller("raw")
            .build()
            .toByteArray(),
        0);
  }

  private void greet() throws IOException {
    out.write(hello(FrameDescriptor.VERSION));
    HelloResponse hello = HelloResponse.parser().parseFrom(read().header());
    assertThat(hello.getServer()).isEqualTo("echo 1");
    assertThat(hello.getProtocolVersion()).isEqualTo(FrameDescriptor.VERSION);
  }

  private Answer read() throws IOException {
    ByteBuffer fixed = ByteBuffer.wrap(in.readNBytes(FrameDescriptor.LENGTH));
    assertThat(fixed.remaining()).as("bytes of a frame's fixed part").isEqualTo(20);
    FrameDescriptor.check(fixed, 0);
    byte[] header = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
    byte[] payload = in.readNBytes(FrameDescriptor.payloadLength(fixed, 0));
    return new Answer(
        FrameDescriptor.flags(fixed, 0), FrameDescriptor.correlation(fixed, 0), header, payload);
  }

  private void expectEnd() throws IOException {
    try {
      assertThat(in.read()).isEqualTo(-1);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  @Test
  void understandsFramesThatComeByteByByte(SplittableRandom random) throws IOException {
    byte[] payload = TestBytes.random(random, 300);
    for (byte b : hello(FrameDescriptor.VERSION)) {
      out.write(b);
      out.flush();
    }
    read();
    byte[] header = EmptyResponse.getDefaultInstance().toByteArray();
    for (Operation<?, ?> operation : List.of(EchoService.STREAM, EchoService.COLLECT)) {
      for (byte b : frame(operation, 0, 77, header, payload.length)) {
        out.write(b);
        out.flush();
      }
      for (byte b : payload) {
        out.write(b);
        out.flush();
      }
      Answer answer = read();
      assertThat(answer.correlation()).isEqualTo(77);
      assertThat(answer.payload()).isEqualTo(payload);
    }
  }

  @Test
  void understandsManyFramesInOnePacketSplitAnywhere(SplittableRandom random) throws IOException {
    greet();
    int frames = 500;
    ByteBuffer all = ByteBuffer.allocate(frames * 400);
    for (int i = 0; i < frames; i++) {
      int length = random.nextInt(0, 300);
      all.put(
          frame(
              random.nextBoolean() ? EchoService.STREAM : EchoService.COLLECT,
              0,
              i,
              new byte[0],
              length));
      all.put(new byte[length]);
    }
    int at = 0;
    while (at < all.position()) {
      int count = Math.min(random.nextInt(1, 3000), all.position() - at);
      out.write(all.array(), at, count);
      out.flush();
      at += count;
    }
    for (int i = 0; i < frames; i++) {
      assertThat(read().correlation()).isEqualTo(i);
    }
  }

  @Test
  void closesOnGarbage() throws IOException {
    out.write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    expectEnd();
    assertThat(server.metrics().get(ServerMetric.PROTOCOL_ERRORS)).isEqualTo(1);
  }

  @Test
  void survivesRandomBytes(SplittableRandom random) throws IOException {
    for (int i = 0; i < 50; i++) {
      try (Socket garbage = new Socket("127.0.0.1", server.port())) {
        garbage.setSoTimeout((int) DEADLINE.toMillis());
        byte[] bytes = TestBytes.random(random, random.nextInt(2, 5000));
        boolean greeted = random.nextBoolean();
        if (greeted) {
          garbage.getOutputStream().write(hello(FrameDescriptor.VERSION));
        }
        garbage.getOutputStream().write(bytes);
        garbage.shutdownOutput();
        while (garbage.getInputStream().read() >= 0) {
          // Whatever it answers, it ends.
        }
      } catch (SocketException e) {
        assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
      }
    }
    greet();
  }

  @Test
  void refusesAFrameOfAnotherVersion() throws IOException {
    byte[] frame = hello(FrameDescriptor.VERSION);
    frame[2] = 9;
    out.write(frame);
    ErrorResponse error = read().error();
    assertThat(Status.ofCode(error.getStatus())).isEqualTo(Status.VERSION_MISMATCH);
    assertThat(error.getMessage()).contains("version=9").contains("version=2");
    expectEnd();
  }

  @Test
  void refusesACallerThatIsTooOld() throws IOException {
    out.write(hello(0));
    ErrorResponse error = read().error();
    assertThat(Status.ofCode(error.getStatus())).isEqualTo(Status.VERSION_MISMATCH);
    assertThat(error.getMessage()).contains("version=0").contains("echo 1 speaks version=2");
    expectEnd();
  }

  @Test
  void speaksItsOwnVersionWithANewerCaller() throws IOException {
    out.write(hello(5));
    assertThat(HelloResponse.parser().parseFrom(read().header()).getProtocolVersion())
        .isEqualTo(FrameDescriptor.VERSION);
  }

  @Test
  void wantsHelloFirst() throws IOException {
    out.write(frame(EchoService.COLLECT, 0, 5, new byte[0], 0));
    Answer answer = read();
    assertThat(answer.correlation()).isEqualTo(5);
    assertThat(Status.ofCode(answer.error().getStatus())).isEqualTo(Status.BAD_REQUEST);
    assertThat(answer.error().getMessage()).contains("first frame must be HELLO");
    expectEnd();
    assertThat(handler.handled).hasValue(0);
  }

  @Test
  void wantsHelloOnce() throws IOException {
    greet();
    out.write(hello(FrameDescriptor.VERSION));
    assertThat(read().error().getMessage()).contains("HELLO came twice");
    expectEnd();
  }

  @Test
  void refusesAnUnknownOperation() throws IOException {
    greet();
    byte[] frame = frame(EchoService.COLLECT, 0, 6, new byte[0], 0);
    frame[5] = 99;
    out.write(frame);
    Answer answer = read();
    assertThat(answer.correlation()).isEqualTo(6);
    assertThat(answer.error().getMessage()).contains("unknown operation: code=99");
    expectEnd();
  }

  @Test
  void refusesAHeaderThatIsNoneAndGoesOn() throws IOException {
    greet();
    byte[] stringThatIsCutOff = {0x0a, 50, 'j'};
    out.write(frame(EchoService.REFUSE, 0, 7, stringThatIsCutOff, 0));
    ErrorResponse error = read().error();
    assertThat(Status.ofCode(error.getStatus())).isEqualTo(Status.BAD_REQUEST);
    assertThat(error.getMessage()).contains("operation=REFUSE bytes=3");
    out.write(frame(EchoService.COLLECT, 0, 8, new byte[0], 0));
    assertThat(read().correlation()).isEqualTo(8);
  }

  @Test
  void refusesAnOversizedFrame() throws IOException {
    greet();
    out.write(frame(EchoService.STREAM, 0, 8, new byte[0], FrameDescriptor.MAX_PAYLOAD_LENGTH + 1));
    Answer answer = read();
    assertThat(answer.correlation()).isEqualTo(8);
    assertThat(answer.error().getMessage())
        .contains("payload=" + (FrameDescriptor.MAX_PAYLOAD_LENGTH + 1));
    expectEnd();
  }

  @Test
  void refusesAResponse() throws IOException {
    greet();
    out.write(frame(EchoService.COLLECT, FrameDescriptor.FLAG_RESPONSE, 8, new byte[0], 0));
    assertThat(read().error().getMessage()).contains("a response was sent to a server");
    expectEnd();
  }

  @Test
  void answersAPeerThatHasClosedItsHalf() throws IOException {
    greet();
    out.write(frame(EchoService.WAIT, 0, 11, new byte[0], 0));
    out.write(frame(EchoService.COLLECT, 0, 12, new byte[0], 0));
    socket.shutdownOutput();
    assertThat(read().correlation()).isEqualTo(12);
    await().atMost(DEADLINE).until(() -> !handler.waiting.isEmpty());
    handler.waiting.remove().reply(EmptyResponse.getDefaultInstance(), ByteBuffer.allocate(3));
    Answer late = read();
    assertThat(late.correlation()).isEqualTo(11);
    assertThat(late.payload()).hasSize(3);
    expectEnd();
  }

  @Test
  void abortsThePayloadOfAPeerThatLeaves() throws IOException {
    greet();
    out.write(frame(EchoService.STREAM, 0, 1, new byte[0], 1000));
    out.write(new byte[500]);
    await().atMost(DEADLINE).until(() -> handler.pieces.get() > 0);
    socket.close();
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.aborted).hasValue(1));
    assertThat(handler.handled).hasValue(0);
  }

  private static ServerConfig.Deadlines deadlines(long frameMs, long writeMs, long idleMs) {
    return new ServerConfig.Deadlines(
        Duration.ofMillis(frameMs),
        Duration.ofMillis(writeMs),
        Duration.ofMillis(idleMs),
        Duration.ofSeconds(5));
  }

  @Test
  void dropsAPeerThatSaysNothing() throws IOException {
    start(deadlines(200, 60_000, 60_000));
    expectEnd();
    assertThat(server.metrics().get(ServerMetric.PEER_DEADLINES)).isEqualTo(1);
  }

  @Test
  void dropsAPeerThatSendsItsHeaderTooSlowly() throws IOException {
    start(deadlines(2000, 60_000, 60_000));
    greet();
    byte[] frame = frame(EchoService.COLLECT, 0, 1, new byte[60_000], 0);
    AtomicInteger sent = new AtomicInteger();
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptionsMatching(SocketException.class::isInstance)
        .until(
            () -> {
              if (server.metrics().get(ServerMetric.PEER_DEADLINES) == 1) {
                return true;
              }
              out.write(frame, sent.getAndIncrement(), 1);
              return false;
            });
    assertThat(server.metrics().get(ServerMetric.PROTOCOL_ERRORS)).isEqualTo(0);
  }

  @Test
  void dropsAPeerThatStopsInItsPayload() throws IOException {
    start(deadlines(2000, 60_000, 60_000));
    greet();
    out.write(frame(EchoService.STREAM, 0, 1, new byte[0], 1000));
    out.write(new byte[10]);
    expectEnd();
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(handler.aborted).hasValue(1));
  }

  @Test
  void closesAnIdleConnectionButNotOneThatWaits() throws IOException {
    start(deadlines(60_000, 60_000, 2000));
    greet();
    out.write(frame(EchoService.WAIT, 0, 3, new byte[0], 0));
    await().atMost(DEADLINE).until(() -> !handler.waiting.isEmpty());
    try (Socket idle = new Socket("127.0.0.1", server.port())) {
      idle.setSoTimeout((int) DEADLINE.toMillis());
      idle.getOutputStream().write(hello(FrameDescriptor.VERSION));
      while (idle.getInputStream().read() >= 0) {
        // The answer to HELLO, then the end.
      }
    }
    handler.waiting.remove().reply(EmptyResponse.getDefaultInstance());
    assertThat(read().correlation()).isEqualTo(3);
    out.write(frame(EchoService.COLLECT, 0, 4, new byte[0], 0));
    assertThat(read().correlation()).isEqualTo(4);
    expectEnd();
  }

  @Test
  void stopsReadingFromAPeerThatDoesNotReadAndDropsIt() throws IOException {
    start(deadlines(60_000, 500, 60_000));
    greet();
    byte[] payload = new byte[1 << 20];
    int limit = ServerConfig.Limits.DEFAULT.outboundBytes();
    try {
      for (int i = 0; i < 1000; i++) {
        out.write(frame(EchoService.COLLECT, 0, i, new byte[0], payload.length));
        out.write(payload);
      }
      assertThat(false).as("the server took 1000 MiB and nobody reads its answers").isTrue();
    } catch (SocketException e) {
      assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
    }
    assertThat(server.metrics().get(ServerMetric.PEER_DEADLINES)).isEqualTo(1);
    assertThat(server.metrics().get(ServerMetric.READ_PAUSES)).isPositive();
    assertThat(server.metrics().get(ServerMetric.RECEIVED_BYTES)).isLessThan(16L * limit);
  }

  @Test
  void waitsForASlowReader() throws IOException {
    start(deadlines(60_000, 10_000, 60_000));
    greet();
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 40; i++) {
                  out.write(frame(EchoService.STREAM, 0, i, new byte[0], 1 << 20));
                  out.write(new byte[1 << 20]);
                }
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            },
            "slow-reader-writes");
    writer.start();
    await().atMost(DEADLINE).until(() -> server.metrics().get(ServerMetric.READ_PAUSES) > 0);
    for (int i = 0; i < 40; i++) {
      Answer answer = read();
      assertThat(answer.correlation()).isEqualTo(i);
      assertThat(answer.payload()).hasSize(1 << 20);
    }
    assertThat(server.metrics().get(ServerMetric.PEER_DEADLINES)).isEqualTo(0);
    await().atMost(DEADLINE).until(() -> !writer.isAlive());
  }
}
