package dev.sailfish.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebEndpointTest {
  private final Map<String, Object> status = new LinkedHashMap<>();
  private WebEndpoint web;

  @BeforeEach
  void start() throws IOException {
    web =
        WebEndpoint.start(
            "echo",
            "127.0.0.1",
            new WebSettings("", 0, ""),
            Optional.empty(),
            () -> Map.of("b", 2L, "a.bad-name", -1L),
            () -> status);
  }

  @AfterEach
  void stop() {
    web.close();
  }

  private HttpURLConnection open(String path) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + web.port() + path);
    return (HttpURLConnection) uri.toURL().openConnection();
  }

  private String get(String path) throws IOException {
    return new String(open(path).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void isHealthy() throws IOException {
    assertThat(get("/health")).isEqualTo("ok\n");
  }

  @Test
  void showsMetricsInOrder() throws IOException {
    assertThat(get("/metrics"))
        .startsWith(
            """
            # TYPE sailfish_a_bad_name untyped
            sailfish_a_bad_name -1
            # TYPE sailfish_b untyped
            sailfish_b 2
            """);
  }

  @Test
  void showsWhatTheProcessUses() throws IOException {
    String metrics = get("/metrics");
    for (String label :
        new String[] {
          "jvm_heap_used_bytes",
          "jvm_heap_max_bytes",
          "jvm_buffers_direct_bytes",
          "jvm_threads",
          "process_resident_bytes",
          "process_anonymous_bytes",
          "process_open_files"
        }) {
      assertThat(metrics).containsPattern("(?m)^sailfish_" + label + " [1-9][0-9]*$");
    }
    assertThat(metrics).containsPattern("(?m)^sailfish_netty_direct_bytes [0-9]+$");
  }

  @Test
  void showsStatusAsJson() throws IOException {
    status.put("name", "a \"b\" \\ \n c");
    status.put("port", 7);
    status.put("up", true);
    assertThat(get("/status"))
        .isEqualTo("{\"name\":\"a \\\"b\\\" \\\\ \\u000a c\",\"port\":7,\"up\":true}\n");
  }

  @Test
  void isReadOnly() throws IOException {
    HttpURLConnection post = open("/health");
    post.setRequestMethod("POST");
    assertThat(post.getResponseCode()).isEqualTo(405);
  }

  @Test
  void saysWhichAddressIsTaken() {
    WebSettings taken = new WebSettings("", web.port(), "");
    assertThatThrownBy(
            () -> WebEndpoint.start("two", "127.0.0.1", taken, Optional.empty(), Map::of, Map::of))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("two cannot listen on 127.0.0.1:" + web.port());
  }

  @Test
  void answersWhileOthersSendTheirRequestsSlowly() throws IOException {
    try (Socket first = new Socket("127.0.0.1", web.port());
        Socket second = new Socket("127.0.0.1", web.port())) {
      for (Socket slow : new Socket[] {first, second}) {
        slow.getOutputStream().write("GET /hea".getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get("/health")).isEqualTo("ok\n");
    }
  }
}
