package dev.sailfish.benchmarks.jobs.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventClientsTest {
  private final List<HttpExchange> open = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/events", this::stream);
    server.createContext("/nothing", EventClientsTest::refuse);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** One event at once; the connection stays. */
  private void stream(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    say(exchange, "event:jobs\ndata:{}\n\n");
    open.add(exchange);
  }

  private static void refuse(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(404, -1);
    exchange.close();
  }

  private static void say(HttpExchange exchange, String text) throws IOException {
    OutputStream body = exchange.getResponseBody();
    body.write(text.getBytes(StandardCharsets.UTF_8));
    body.flush();
  }

  private URI address(String path) {
    return URI.create("http://localhost:" + server.getAddress().getPort() + path);
  }

  @Test
  void eachClientCountsItsEvents() throws IOException {
    try (EventClients clients = EventClients.open(address("/events"), 3)) {
      assertThat(clients.heard()).containsExactly(1, 1, 1);
      await().until(() -> open.size() == 3);
      for (HttpExchange exchange : open) {
        say(exchange, ":still here\n\nevent:jobs\ndata:{}\n\n");
      }
      await().untilAsserted(() -> assertThat(clients.heard()).containsExactly(2, 2, 2));
      assertThat(clients.failures()).isEmpty();
      open.get(0).close();
      await().until(() -> !clients.failures().isEmpty());
    }
  }

  @Test
  void closingEndsTheConnections() {
    EventClients.open(address("/events"), 2).close();
    await().until(() -> open.size() == 2);
    await().until(() -> open.stream().allMatch(EventClientsTest::isBroken));
  }

  private static boolean isBroken(HttpExchange exchange) {
    try {
      say(exchange, "data:{}\n\n");
      return false;
    } catch (IOException e) {
      return true; // the very question
    }
  }

  @Test
  void aTopicThatIsRefusedIsAnError() {
    assertThatThrownBy(() -> EventClients.open(address("/nothing"), 1).close())
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("status 404");
  }

  @Test
  void nobodyHearsNothing() {
    try (EventClients none = EventClients.none()) {
      assertThat(none.heard()).isEmpty();
      assertThat(none.failures()).isEmpty();
    }
  }
}
