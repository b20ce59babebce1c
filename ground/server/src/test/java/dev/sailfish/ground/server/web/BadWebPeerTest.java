package dev.sailfish.ground.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a web port does with peers that are no browsers. */
@Seeded
class BadWebPeerTest {
  private static final int DEADLINE_MS = 20_000;
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 300);
  private static final String GOOD = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n";

  private WebEndpoint web;

  @BeforeEach
  void start() throws IOException {
    web =
        WebEndpoint.start(
            new TestDaemon().monitored("echo"), "127.0.0.1", 0, Optional.empty(), Optional.empty());
  }

  @AfterEach
  void stop() {
    web.close();
  }

  private Socket open() throws IOException {
    Socket socket = new Socket("127.0.0.1", web.port());
    socket.setSoTimeout(DEADLINE_MS);
    return socket;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Sends bytes and returns what comes until the server closes. */
  private String ask(byte[] bytes) throws IOException {
    try (Socket socket = open()) {
      socket.getOutputStream().write(bytes);
      return rest(socket);
    }
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private void checkServed() throws IOException {
    assertThat(ask(ascii(GOOD))).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nok\n");
  }

  @Test
  void refusesWhatIsNoRequest() throws IOException {
    assertThat(ask(ascii("hello\r\n\r\n"))).startsWith("HTTP/1.1 400 ");
    assertThat(ask(ascii("\r\n\r\n" + GOOD))).startsWith("HTTP/1.1 200 ");
    assertThat(ask(ascii("GET /health HTTP/2.0\r\n\r\n"))).startsWith("HTTP/1.1 400 ");
    assertThat(ask(ascii("GET /health HTTP/1.1\r\nno header\r\n\r\n"))).startsWith("HTTP/1.1 400 ");
    assertThat(ask(ascii("GET /health FTP/1.0\r\n\r\n"))).startsWith("HTTP/1.1 400 ");
    assertThat(ask(ascii("DELETE /health HTTP/1.1\r\n\r\n"))).startsWith("HTTP/1.1 405 ");
    assertThat(ask(ascii("GET /../etc HTTP/1.1\r\n\r\n"))).startsWith("HTTP/1.1 404 ");
    assertThat(ask(ascii("GET /health?x=1 HTTP/1.0\n\n"))).startsWith("HTTP/1.1 200 ");
    checkServed();
  }

  @Test
  void refusesAHeadThatIsTooLong() throws IOException {
    String path = "/" + "a".repeat(WebConnection.MAX_LINE_BYTES);
    assertThat(ask(ascii("GET " + path + " HTTP/1.1\r\n\r\n")))
        .startsWith("HTTP/1.1 431 ")
        .contains("longer than 2048 bytes");
    String line = "X-Long: " + "a".repeat(WebConnection.MAX_HEADERS_BYTES);
    assertThat(ask(ascii("GET /health HTTP/1.1\r\n" + line + "\r\n\r\n")))
        .startsWith("HTTP/1.1 431 ")
        .contains("headers are longer than 6144");
    String manyHeaders = "A: b\r\n".repeat(WebConnection.MAX_HEADERS_BYTES);
    assertThat(ask(ascii("GET /health HTTP/1.1\r\n" + manyHeaders + "\r\n")))
        .startsWith("HTTP/1.1 431 ");
    checkServed();
  }

  @Test
  void answersAPeerThatHasClosedItsHalf() throws IOException {
    try (Socket socket = open()) {
      socket.getOutputStream().write(ascii(GOOD));
      socket.shutdownOutput();
      assertThat(rest(socket)).endsWith("ok\n");
    }
    try (Socket socket = open()) {
      socket.getOutputStream().write(ascii("GET /hea"));
      socket.shutdownOutput();
      assertThat(rest(socket)).isEmpty();
    }
  }

  @Test
  void closesAPeerThatIsSlow() throws IOException {
    long start = System.nanoTime();
    try (Socket silent = open();
        Socket slow = open()) {
      slow.getOutputStream().write(ascii("GET /health HT"));
      assertThat(rest(slow)).isEmpty();
      assertThat(rest(silent)).isEmpty();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(
            Duration.ofMillis(WebConnection.DEADLINE_MS - 500),
            Duration.ofMillis(WebConnection.DEADLINE_MS + 5000));
  }

  /** One byte now and then does not help: the deadline is that of the whole connection. */
  @Test
  void closesAPeerThatGoesOnSlowly() throws IOException {
    try (Socket slow = open()) {
      byte[] header = ascii("GET /health HTTP/1.1\r\nX: " + "a".repeat(2000));
      int[] sent = {0};
      await()
          .atMost(Duration.ofMillis(2 * WebConnection.DEADLINE_MS + 5000))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                try {
                  slow.getOutputStream().write(header, sent[0]++, 1);
                  return false;
                } catch (SocketException e) {
                  return true;
                }
              });
      assertThat(sent[0]).isLessThan(header.length);
    }
  }

  @Test
  void manyPeersThatSayNothingDoNotKeepOthersOut() throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * WebEndpoint.MAX_CONNECTIONS; i++) {
        silent.add(open());
      }
      long start = System.nanoTime();
      checkServed();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
      for (Socket each : silent) {
        InputStream in = each.getInputStream();
        assertThat(in.read()).as("closed by the server").isEqualTo(-1);
      }
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
    checkServed();
  }

  @Test
  void livesThroughGarbage(SplittableRandom random) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = TestBytes.random(random, TestBytes.skewedLength(random, 20_000));
      if (random.nextBoolean()) {
        byte[] good = ascii(GOOD);
        good[random.nextInt(good.length)] = (byte) random.nextInt();
        System.arraycopy(good, 0, bytes, 0, Math.min(good.length, bytes.length));
      }
      try (Socket socket = open()) {
        socket.getOutputStream().write(bytes);
        if (random.nextBoolean()) {
          socket.shutdownOutput();
          rest(socket);
        }
      } catch (SocketException e) {
        assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
      }
    }
    checkServed();
  }
}
