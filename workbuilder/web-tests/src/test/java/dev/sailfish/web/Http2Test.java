package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.testkit.TestAuthority;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that are sent over HTTP/2, as browsers and ApplicationMasters do where there is TLS. */
class Http2Test {
  private static final String TOKEN = "the-token-of-the-pages";
  private static final String LOGIN = "{\"token\":\"" + TOKEN + "\"}";

  @TempDir Path directory;
  private WebProcess web;
  private HttpClient http;

  @BeforeEach
  void start() throws Exception {
    TestAuthority authority =
        TestAuthority.create(Files.createDirectory(directory.resolve("keys")));
    Path server = authority.serverFile(authority.issue("server"), false);
    Path token = WebProcess.tokenFile(directory.resolve("token"), TOKEN);
    Map<String, String> settings = new HashMap<>();
    settings.putAll(authority.daemon("", server, authority.clientFile()));
    settings.put("authentication", "none");
    settings.put("token.file", token.toString());
    web = WebProcess.start(directory, settings);
    TlsContext trust = TlsContext.ofClient("test", SslFile.read("test", authority.clientFile()));
    http = HttpClient.newBuilder().sslContext(trust.context()).build();
  }

  @AfterEach
  void stop() throws Exception {
    web.close();
  }

  private int status(String path, HttpRequest.BodyPublisher body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(web.secure(path))
            .timeout(WebProcess.DEADLINE)
            .header("Content-Type", "application/json")
            .POST(body)
            .build();
    HttpResponse<Void> answer = http.send(request, HttpResponse.BodyHandlers.discarding());
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
    return answer.statusCode();
  }

  private static HttpRequest.BodyPublisher whole(String body) {
    return HttpRequest.BodyPublishers.ofString(body);
  }

  private static HttpRequest.BodyPublisher ofUnknownLength(String body) {
    return HttpRequest.BodyPublishers.fromPublisher(whole(body));
  }

  @Test
  void bodiesAreTaken() throws Exception {
    assertThat(status("/login", whole(LOGIN))).isEqualTo(204);
    assertThat(status("/login", ofUnknownLength(LOGIN))).isEqualTo(204);
    assertThat(status("/login", whole("{\"token\":\"wrong\"}"))).isEqualTo(401);
    assertThat(status("/login", whole("{"))).isEqualTo(400);
    assertThat(status("/login", HttpRequest.BodyPublishers.noBody())).isEqualTo(401);
    assertThat(status("/api/v1/reports/job_1_1", whole("{}"))).isEqualTo(400);
  }

  /** One request that is refused takes nothing from the others of its connection. */
  @Test
  void bodiesThatAreTooLongAreRefused() throws Exception {
    String blanks = " ".repeat(20_000);
    assertThat(status("/login", whole(blanks + LOGIN))).isEqualTo(413);
    assertThat(status("/login", ofUnknownLength(blanks + LOGIN))).isEqualTo(413);
    assertThat(status("/login", whole(LOGIN))).isEqualTo(204);
  }
}
