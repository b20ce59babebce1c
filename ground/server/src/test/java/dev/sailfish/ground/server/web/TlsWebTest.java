package dev.sailfish.ground.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The web pages of a server that speaks TLS. */
@Timeout(180)
class TlsWebTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private SSLContext trusting;
  private TlsContext serverTls;
  private WebEndpoint web;

  @BeforeEach
  void start() throws IOException {
    TestAuthority authority = TestAuthority.create(directory);
    Path serverFile = authority.serverFile(authority.issue("server"), false);
    trusting = TlsContext.ofClient("test", SslFile.read("test", authority.clientFile())).context();
    serverTls = TlsContext.ofServer("test", SslFile.read("test", serverFile));
    TestDaemon daemon = new TestDaemon();
    daemon.metrics.add(ServerMetric.REQUESTS, 3);
    daemon.detail = "x".repeat(100_000);
    web =
        WebEndpoint.start(
            daemon.monitored("echo"), "127.0.0.1", 0, Optional.empty(), Optional.of(serverTls));
  }

  @AfterEach
  void stop() {
    web.close();
  }

  private String get(HttpClient client, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + web.port() + path))
            .timeout(DEADLINE)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void pagesShouldComeOverHttps() throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(trusting).build();
    assertThat(get(client, "/health")).isEqualTo("ok\n");
    assertThat(get(client, "/metrics")).contains("\nsailfish_server_requests_total 3.0\n");
    assertThat(get(client, "/status")).hasSizeGreaterThan(100_000);
    assertThatThrownBy(() -> get(HttpClient.newHttpClient(), "/health"))
        .hasMessageContaining("PKIX path building failed");
  }

  @Test
  void pagesShouldSayWhenTheCertificateEnds() throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(trusting).build();
    long ms = serverTls.certificateEnd().orElseThrow().toEpochMilli();
    assertThat(ms).isGreaterThan(System.currentTimeMillis());
    assertThat(get(client, "/status")).contains("\"certificate_end_ms\":" + ms + ",");
    assertThat(get(client, "/metrics"))
        .contains("\nsailfish_process_certificate_end_s " + (double) (ms / 1000) + "\n");
  }

  @Test
  void whoAsksWithoutTlsShouldBeToldSo() throws IOException {
    try (Socket plain = new Socket("127.0.0.1", web.port())) {
      plain.setSoTimeout((int) DEADLINE.toMillis());
      plain
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(plain.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer)
          .startsWith("HTTP/1.1 400 Bad Request")
          .contains("this port speaks HTTPS")
          .doesNotContain("sailfish_");
    }
  }
}
