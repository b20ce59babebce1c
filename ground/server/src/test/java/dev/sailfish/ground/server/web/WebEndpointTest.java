package dev.sailfish.ground.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.frame.EchoService;
import dev.sailfish.ground.server.metrics.ProcessMetric;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebEndpointTest {
  private final TestDaemon daemon = new TestDaemon();
  private WebEndpoint web;

  @BeforeEach
  void start() throws IOException {
    web =
        WebEndpoint.start(
            daemon.monitored("echo"), "127.0.0.1", 0, Optional.empty(), Optional.empty());
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

  private String refusal(String path) throws IOException {
    HttpURLConnection connection = open(path);
    assertThat(connection.getResponseCode()).isEqualTo(503);
    return new String(connection.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void isHealthy() throws IOException {
    daemon.firstPasses = false;
    assertThat(get("/health")).isEqualTo("ok\n");
  }

  @Test
  void saysWhyItIsNotReady() throws IOException {
    assertThat(get("/ready")).isEqualTo("ready\n");
    assertThat(get("/status")).contains("\"ready\":true,\"failing_checks\":{},");
    daemon.secondPasses = false;
    assertThat(refusal("/ready")).isEqualTo("not ready\nsecond: nobody is there\n");
    daemon.firstPasses = false;
    assertThat(refusal("/ready"))
        .isEqualTo("not ready\nfirst: it does not run\nsecond: nobody is there\n");
    assertThat(get("/status"))
        .contains("\"ready\":false,\"failing_checks\":{\"first\":\"it does not run\",\"second\":");
  }

  @Test
  void showsTypedMetrics() throws IOException {
    daemon.metrics.add(ServerMetric.SENT_BYTES, 1L << 53);
    daemon.metrics.increment(ServerMetric.CONNECTIONS);
    daemon.metrics.observe(ServerMetric.REQUEST_SECONDS, EchoService.STREAM, 2_000_000);
    daemon.metrics.observe(ServerMetric.REQUEST_SECONDS, EchoService.STREAM, 50_000_000_000L);
    assertThat(open("/metrics").getContentType()).startsWith("text/plain; version=0.0.4");
    assertThat(get("/metrics"))
        .contains(
            """
            # HELP sailfish_server_sent_bytes_total Bytes of answers that were written
            # TYPE sailfish_server_sent_bytes_total counter
            sailfish_server_sent_bytes_total 9.007199254740992E15
            """,
            """
            # HELP sailfish_server_connections Connections open now
            # TYPE sailfish_server_connections gauge
            sailfish_server_connections 1.0
            """,
            """
            # TYPE sailfish_server_request_seconds histogram
            """,
            """
            sailfish_server_request_seconds_bucket{operation="STREAM",le="0.001"} 0
            sailfish_server_request_seconds_bucket{operation="STREAM",le="0.003"} 1
            """,
            """
            sailfish_server_request_seconds_bucket{operation="STREAM",le="30.0"} 1
            sailfish_server_request_seconds_bucket{operation="STREAM",le="+Inf"} 2
            sailfish_server_request_seconds_count{operation="STREAM"} 2
            sailfish_server_request_seconds_sum{operation="STREAM"} 50.002
            """);
  }

  @Test
  void showsWhatTheProcessUses() throws IOException {
    System.gc(); // a collection to be counted
    String metrics = get("/metrics");
    for (String name :
        new String[] {
          "jvm_memory_used_bytes{area=\"heap\"}",
          "jvm_memory_max_bytes{area=\"heap\"}",
          "jvm_buffer_pool_used_bytes{pool=\"direct\"}",
          "jvm_gc_collection_seconds_count{gc=",
          "process_resident_memory_bytes",
          "process_open_fds",
          "process_cpu_seconds_total",
          ProcessMetric.THREADS.fullName(),
          ProcessMetric.ANONYMOUS_BYTES.fullName(),
        }) {
      assertThat(metrics).containsPattern("(?m)^" + Pattern.quote(name) + ".*[1-9].*$");
    }
    assertThat(metrics).contains(ProcessMetric.NETTY_DIRECT_BYTES.fullName());
  }

  @Test
  void showsStatusAsJson() throws IOException {
    daemon.detail = "a \"b\" \\ \n c";
    daemon.warnings.raise("host", "it leads nowhere", "");
    daemon.metrics.add(ServerMetric.SENT_BYTES, Long.MAX_VALUE);
    assertThat(get("/status"))
        .startsWith(
            "{\"server\":\"echo\",\"host\":\"here\",\"port\":7,\"version\":\""
                + Release.version()
                + "\",\"ready\":true,\"failing_checks\":{},\"warnings\":{\"host\":\"it"
                + " leads nowhere\"},\"detail\":\"a \\\"b\\\" \\\\ \\n"
                + " c\",\"metrics\":{")
        .contains("\"sailfish_server_sent_bytes_total\":9223372036854775807,")
        .endsWith("}}\n");
  }

  @Test
  void saysItsVersionAndThatItHasNoCertificate() throws IOException {
    assertThat(Release.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(get("/status")).doesNotContain("certificate_end_ms");
    assertThat(get("/metrics")).contains("\nsailfish_process_certificate_end_s 0.0\n");
  }

  @Test
  void isReadOnly() throws IOException {
    HttpURLConnection post = open("/health");
    post.setRequestMethod("POST");
    assertThat(post.getResponseCode()).isEqualTo(405);
  }

  @Test
  void saysWhichAddressIsTaken() {
    int taken = web.port();
    assertThatThrownBy(
            () ->
                WebEndpoint.start(
                    daemon.monitored("two"),
                    "127.0.0.1",
                    taken,
                    Optional.empty(),
                    Optional.empty()))
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
