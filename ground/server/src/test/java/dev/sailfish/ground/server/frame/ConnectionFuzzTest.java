package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.message.EchoResponse;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client makes of a server that answers with garbage: an error that it knows, in time. */
@Seeded
class ConnectionFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 1500);
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** What the server says to HELLO, and what to the request behind it; then it closes. */
  private record Script(byte[] greeting, byte[] answer) {}

  private final BlockingQueue<Script> scripts = new LinkedBlockingQueue<>();

  private ServerSocket listener;
  private Thread thread;

  @BeforeEach
  void start() throws IOException {
    listener = new ServerSocket(0);
    thread = new Thread(this::serve, "garbage-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept()) {
        serve(socket, scripts.take());
      } catch (IOException e) {
        // The client has left, or the test ends.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void serve(Socket socket, Script script) throws IOException {
    byte[] asked = new byte[4096];
    int count = socket.getInputStream().read(asked);
    socket.getOutputStream().write(script.greeting);
    if (count > 0 && Arrays.equals(script.greeting, hello(FrameDescriptor.VERSION))) {
      count = socket.getInputStream().read(asked);
    }
    socket.getOutputStream().write(script.answer);
    socket.shutdownOutput();
    while (count >= 0) {
      count = socket.getInputStream().read(asked);
    }
  }

  @AfterEach
  void stop() throws IOException {
    listener.close();
    thread.interrupt();
  }

  private static byte[] reply(
      Operation<?, ?> operation, int flags, long correlation, byte[] header, int payloadLength) {
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + header.length);
    FrameDescriptor.write(
        frame,
        operation,
        flags | FrameDescriptor.FLAG_RESPONSE,
        correlation,
        header.length,
        payloadLength);
    return frame.put(header).array();
  }

  private static byte[] hello(int version) {
    byte[] header =
        HelloResponse.newBuilder()
            .setProtocolVersion(version)
            .setServer("it")
            .build()
            .toByteArray();
    return reply(Operation.HELLO, 0, 1, header, 0);
  }

  private static Script script(SplittableRandom random) {
    byte[] greeting = hello(FrameDescriptor.VERSION);
    if (random.nextInt(8) == 0) {
      greeting[random.nextInt(greeting.length)] = (byte) random.nextInt();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] header = TestBytes.random(random, TestBytes.skewedLength(random, 200));
    int flags = random.nextInt(3) == 0 ? random.nextInt(256) : 0;
    int length = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(100);
    byte[] frame = reply(EchoService.LIST, flags, random.nextInt(4) == 0 ? 7 : 2, header, length);
    if (random.nextInt(3) == 0) {
      frame[random.nextInt(frame.length)] = (byte) random.nextInt();
    }
    bytes.writeBytes(frame);
    bytes.writeBytes(TestBytes.random(random, random.nextInt(100)));
    return new Script(greeting, bytes.toByteArray());
  }

  private Connection open() throws IOException {
    return Connection.open(
        new InetSocketAddress("127.0.0.1", listener.getLocalPort()), "test", DEADLINE);
  }

  private EchoResponse ask(byte[] greeting, byte[] answer) throws IOException {
    scripts.add(new Script(greeting, answer));
    try (Connection connection = open()) {
      return connection.call(
          EchoService.LIST, EchoRequest.getDefaultInstance(), EchoResponse.parser());
    }
  }

  @Test
  void garbageIsAnErrorOfTheConnection(SplittableRandom random) {
    int errors = 0;
    for (int round = 0; round < ROUNDS; round++) {
      try {
        Script script = script(random);
        ask(script.greeting, script.answer);
      } catch (IOException e) {
        errors++;
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    assertThat(errors).isGreaterThan(ROUNDS / 2);
  }

  @Test
  void aServerOfAnotherVersionIsNamed() {
    for (int version : new int[] {0, 1, -1}) {
      assertThatThrownBy(() -> ask(hello(version), new byte[0]))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("127.0.0.1")
          .hasMessageContaining("protocol version=" + version)
          .hasMessageContaining("speaks version=2");
    }
  }

  private static byte[] error(int payloadLength) {
    byte[] header = ErrorResponse.newBuilder().setStatus(1).setMessage("no").build().toByteArray();
    return reply(EchoService.LIST, FrameDescriptor.FLAG_ERROR, 2, header, payloadLength);
  }

  @Test
  void aRefusalIsHeardThoughTheServerClosesBehindIt() {
    assertThatThrownBy(() -> ask(hello(FrameDescriptor.VERSION), error(0)))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("no");
  }

  @Test
  void announcedLengthsAreNotBelieved() {
    int huge = FrameDescriptor.MAX_PAYLOAD_LENGTH;
    assertThatThrownBy(() -> ask(hello(FrameDescriptor.VERSION), error(huge)))
        .hasMessageContaining("has a payload: length=" + huge);
    int inPayload = FrameDescriptor.FLAG_HEADER_IN_PAYLOAD;
    byte[] longHeader = reply(EchoService.LIST, inPayload, 2, new byte[0], huge);
    assertThatThrownBy(() -> ask(hello(FrameDescriptor.VERSION), longHeader))
        .hasMessageContaining("is too long: length=" + huge);
    byte[] payload = reply(EchoService.LIST, 0, 2, new byte[0], huge);
    assertThatThrownBy(() -> ask(hello(FrameDescriptor.VERSION), payload))
        .hasMessageContaining("payload that nobody asked for: length=" + huge);
  }
}
