package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process with TLS, to clients with a certificate and without. */
class ClientCertificatesTest {
  @TempDir Path directory;

  private static int status(WebProcess web, Path clientFile) throws Exception {
    TlsContext context = TlsContext.ofClient("test", SslFile.read("test", clientFile));
    HttpClient http = HttpClient.newBuilder().sslContext(context.context()).build();
    HttpRequest request =
        HttpRequest.newBuilder(web.secure("/jobs")).timeout(WebProcess.DEADLINE).build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private WebProcess start(TestAuthority authority, boolean mutual) throws IOException {
    Path server = authority.serverFile(authority.issue("server" + mutual), mutual);
    Map<String, String> settings = new HashMap<>();
    settings.putAll(authority.daemon("", server, authority.clientFile()));
    settings.put("authentication", "none");
    return WebProcess.start(Files.createDirectory(directory.resolve("web" + mutual)), settings);
  }

  @Test
  void aClientNeedsACertificateWhereTheServersFileSaysSo() throws Exception {
    TestAuthority authority =
        TestAuthority.create(Files.createDirectory(directory.resolve("keys")));
    Path stranger = authority.clientFile();
    try (WebProcess web = start(authority, true)) {
      assertThat(status(web, authority.clientFile(authority.issue("browser")))).isEqualTo(200);
      assertThatThrownBy(() -> status(web, stranger)).isInstanceOf(IOException.class);
    }
    try (WebProcess web = start(authority, false)) {
      assertThat(status(web, stranger)).isEqualTo(200);
    }
  }
}
