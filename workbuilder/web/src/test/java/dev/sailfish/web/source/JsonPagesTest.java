package dev.sailfish.web.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a server answers, and what is taken of it. */
class JsonPagesTest {
  private HttpServer server;
  private volatile String answer = "{}";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private JsonPages pages(String host) {
    String base = "http://" + host + ":" + server.getAddress().getPort();
    JsonPages.Place place = new JsonPages.Place(base, Optional.empty(), Optional.empty());
    return new JsonPages(place, Duration.ofSeconds(20));
  }

  /** As those with an underscore in their names, it is a host, but none of a URI. */
  @Test
  void aHostThatUrisDoNotKnowIsAsked() throws IOException {
    answer = "{\"ready\":true}";
    assertThat(pages("127.1").get("/status").orElseThrow().path("ready").asBoolean()).isTrue();
  }

  @Test
  void whatIsNoHostIsAFailureOfItsSource() {
    assertThatThrownBy(() -> pages("a+b").get("/status"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be asked");
  }

  @Test
  void whatUsersProgramsAnswerHasALimit() throws IOException {
    answer = "[\"" + "x".repeat(9 << 20) + "\"]";
    assertThat(pages("127.0.0.1").get("/").orElseThrow()).hasSize(1);
    assertThatThrownBy(() -> pages("127.0.0.1").ofUsers().get("/"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the answer has over 8388608 bytes");
  }

  @Test
  void manySmallThingsAreNotMadeIntoALargeTree() throws IOException {
    String many = "[" + "{},".repeat(1 << 20) + "{}]";
    answer = many;
    assertThatThrownBy(() -> pages("127.0.0.1").ofUsers().get("/"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("answers with more than is taken");
    String task = "{\"id\":\"task_1_1_m_000001\",\"type\":\"MAP\",\"state\":\"SUCCEEDED\"},";
    answer = "[" + task.repeat(100_000) + "{}]";
    assertThat(pages("127.0.0.1").ofUsers().get("/").orElseThrow()).hasSize(100_001);
  }
}
