package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random and damaged frames, given to the parser and to a server over sockets. The server answers
 * or closes; a good client is served before, during and after. {@code -Dsailfish.rounds=N} sets how
 * many of them the long test sends.
 */
@Seeded
class FrameFuzzTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int PARSED = 50_000;
  private static final int SENT = 400;
  private static final int ROUNDS_BETWEEN_CALLS = 20;
  private static final long MOST_DIRECT_BYTES = 128L << 20;
  private static final List<Operation<?, ?>> OPERATIONS = operations();

  /** An EchoHandler that keeps nobody waiting. */
  private static final class PromptEcho implements RequestHandler {
    private final EchoHandler echo = new EchoHandler();

    @Override
    public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
      return echo.payloadSink(request, payloadLength);
    }

    @Override
    public void handle(Request request) throws IOException {
      echo.handle(request);
      Request waiting = echo.waiting.poll();
      if (waiting != null) {
        waiting.reply(EmptyResponse.getDefaultInstance());
      }
    }
  }

  /** Counts what the parser says, and checks that it is in order. */
  private static final class Listener implements FrameParser.Target {
    private final SplittableRandom random;
    private boolean open;
    private long left;

    Listener(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public PayloadSink begin(
        int operation, int flags, long correlation, byte[] header, int payloadLength) {
      assertThat(open).isFalse();
      assertThat(header.length).isLessThanOrEqualTo(FrameDescriptor.MAX_HEADER_LENGTH);
      assertThat(payloadLength).isBetween(0, FrameDescriptor.MAX_PAYLOAD_LENGTH);
      open = true;
      left = payloadLength;
      return random.nextBoolean() ? null : sink();
    }

    private PayloadSink sink() {
      return new PayloadSink() {
        @Override
        public void write(ByteBuffer piece) throws IOException {
          left -= piece.remaining();
          assertThat(left).isNotNegative();
          if (random.nextInt(10) == 0) {
            throw new IOException("enough");
          }
        }

        @Override
        public void abort() {
          left = 0;
        }
      };
    }

    @Override
    public void payloadFailed(Exception cause) {
      assertThat(open).isTrue();
    }

    @Override
    public void end() {
      assertThat(open).isTrue();
      open = false;
    }
  }

  private static List<Operation<?, ?>> operations() {
    List<Operation<?, ?>> operations = new ArrayList<>(EchoService.SERVICE.operations());
    operations.add(Operation.HELLO);
    operations.add(Operation.AUTHENTICATE);
    return operations;
  }

  private static byte[] frame(
      SplittableRandom random, Operation<?, ?> operation, int payloadLength) {
    byte[] header = TestBytes.random(random, TestBytes.skewedLength(random, 3000));
    int sent = Math.max(0, Math.min(payloadLength, 5000));
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + header.length + sent);
    int flags = random.nextInt(4) == 0 ? random.nextInt(256) : 0;
    FrameDescriptor.write(frame, operation, flags, random.nextLong(), header.length, payloadLength);
    frame.put(header);
    return frame.array();
  }

  private static byte[] hello() {
    byte[] header =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("fuzz")
            .build()
            .toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + header.length);
    FrameDescriptor.write(frame, Operation.HELLO, 0, 1, header.length, 0);
    return frame.put(header).array();
  }

  /**
   * Some frames one after the other, the last ones perhaps damaged, cut off or no frames at all.
   */
  private static byte[] conversation(SplittableRandom random) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (random.nextInt(5) > 0) {
      bytes.writeBytes(hello());
    }
    for (int i = random.nextInt(5); i >= 0; i--) {
      Operation<?, ?> operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
      int length = random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(2000);
      byte[] frame = frame(random, operation, length);
      if (random.nextInt(3) == 0) {
        int reach = random.nextBoolean() ? FrameDescriptor.LENGTH : frame.length;
        frame[random.nextInt(reach)] = (byte) random.nextInt();
      }
      bytes.write(frame, 0, random.nextInt(6) == 0 ? random.nextInt(frame.length) : frame.length);
    }
    if (random.nextInt(6) == 0) {
      bytes.writeBytes(TestBytes.random(random, random.nextInt(200)));
    }
    return bytes.toByteArray();
  }

  @Test
  void theParserTakesFramesOrSaysWhatIsWrong(SplittableRandom random) {
    for (int round = 0; round < PARSED; round++) {
      parse(conversation(random), random);
    }
  }

  private static void parse(byte[] bytes, SplittableRandom random) {
    FrameParser parser = new FrameParser(new Listener(random));
    int at = 0;
    try {
      while (at < bytes.length) {
        int count = Math.min(1 + random.nextInt(3000), bytes.length - at);
        ByteBuf piece = Unpooled.directBuffer(count).writeBytes(bytes, at, count);
        while (piece.isReadable()) {
          parser.consume(piece);
        }
        piece.release();
        at += count;
      }
    } catch (ProtocolException e) {
      assertThat(e).hasMessageContaining("=");
    }
  }

  @Test
  void theServerAnswersOrClosesAndServesOthers(SplittableRandom random) throws IOException {
    fuzzServer(random, SENT);
  }

  @Test
  @Tag("long")
  void theServerAnswersOrClosesAndServesOthersForLong(SplittableRandom random) throws IOException {
    fuzzServer(random, Integer.getInteger("sailfish.rounds", 50_000));
  }

  private static void fuzzServer(SplittableRandom random, int rounds) throws IOException {
    ServerConfig.Deadlines deadlines =
        new ServerConfig.Deadlines(
            Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(60), DEADLINE);
    ServerConfig config = ServerConfig.of("echo 1", "127.0.0.1", 0).withDeadlines(deadlines);
    try (FrameServer server = FrameServer.start(EchoService.SERVICE, config, new PromptEcho());
        Connection good =
            Connection.open(
                new InetSocketAddress("127.0.0.1", server.port()), "good client", DEADLINE)) {
      checkServed(good, random);
      for (int round = 0; round < rounds; round++) {
        converse(server.port(), conversation(random), random.nextInt(4) > 0);
        if (round % ROUNDS_BETWEEN_CALLS == 0) {
          checkServed(good, random);
        }
      }
      checkServed(good, random);
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () -> assertThat(server.metrics().get(ServerMetric.CONNECTIONS)).isEqualTo(1));
      assertThat(server.metrics().get(ServerMetric.PROTOCOL_ERRORS)).isPositive();
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory())
          .isLessThan(MOST_DIRECT_BYTES);
    }
  }

  private static void checkServed(Connection good, SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, random.nextInt(1, 100_000));
    PayloadReply reply = new PayloadReply();
    good.send(
        EchoService.STREAM, EmptyResponse.getDefaultInstance(), reply, ByteBuffer.wrap(bytes));
    while (!reply.ended()) {
      good.poll();
    }
    assertThat(reply.bytes()).isEqualTo(bytes);
  }

  /** Sends all, and perhaps reads until the server has closed. */
  private static void converse(int port, byte[] bytes, boolean listen) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout((int) DEADLINE.toMillis());
      socket.getOutputStream().write(bytes);
      if (!listen) {
        return;
      }
      socket.shutdownOutput();
      byte[] answer = new byte[8192];
      int total = 0;
      for (int count = 0; count >= 0; count = socket.getInputStream().read(answer)) {
        total += count;
        assertThat(total).as("bytes of answers").isLessThan(1 << 20);
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the server neither answers nor closes", e);
    } catch (SocketException e) {
      assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
    }
  }
}
