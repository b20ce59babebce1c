package dev.sailfish.ground.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Web pages that are only for those who know a token. */
class WebTokenTest {
  private static final ServerKeys KEYS = ServerKeys.of(new KeySet("sailfish.echo."), "0");
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path directory;
  private Path file;
  private WebEndpoint web;

  @BeforeEach
  void start() throws IOException {
    file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    web = start(file);
  }

  @AfterEach
  void stop() {
    web.close();
  }

  private static WebEndpoint start(Path tokenFile) throws IOException {
    DaemonSettings settings =
        DaemonSettings.of(
            Settings.of(Map.of("sailfish.echo.web.token.file", tokenFile.toString())), KEYS, false);
    TestDaemon daemon = new TestDaemon();
    daemon.metrics.add(ServerMetric.REQUESTS, 3);
    return WebEndpoint.start(
        daemon.monitored("echo"),
        "127.0.0.1",
        settings.webPort(),
        settings.webToken(),
        Optional.empty());
  }

  private HttpURLConnection open(String path, String authorization) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + web.port() + path);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    if (!authorization.isEmpty()) {
      connection.setRequestProperty("Authorization", authorization);
    }
    return connection;
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void pagesShouldComeToWhoBearsTheToken() throws IOException {
    for (String good :
        new String[] {"Bearer " + TOKEN, basic("ann:" + TOKEN), basic(":" + TOKEN)}) {
      assertThat(open("/metrics", good).getInputStream())
          .asString(StandardCharsets.UTF_8)
          .contains("\nsailfish_server_requests_total 3.0\n");
      assertThat(open("/status?x=1", good).getResponseCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics", "/status"})
  void othersShouldBeAskedForTheToken(String path) throws IOException {
    for (String bad :
        new String[] {
          "",
          TOKEN,
          "Bearer",
          "Bearer ",
          "Bearer " + TOKEN.substring(1),
          "bearer " + TOKEN + TOKEN,
          "Digest " + TOKEN,
          "Basic",
          "Basic !!!!",
          basic("ann:"),
          basic("ann:" + TOKEN + "x"),
          basic(TOKEN + ":ann")
        }) {
      HttpURLConnection connection = open(path, bad);
      assertThat(connection.getResponseCode()).as("'%s'", bad).isEqualTo(401);
      assertThat(connection.getHeaderFields().get("www-authenticate"))
          .anyMatch(challenge -> challenge.startsWith("Bearer"))
          .anyMatch(challenge -> challenge.startsWith("Basic"));
      assertThat(connection.getErrorStream())
          .asString(StandardCharsets.UTF_8)
          .contains("web.token.file")
          .doesNotContain("sailfish_server_requests", "0123456789");
    }
  }

  @Test
  void healthShouldNeedNoToken() throws IOException {
    assertThat(open("/health", "").getResponseCode()).isEqualTo(200);
    assertThat(open("/ready", "").getResponseCode()).isEqualTo(200);
    assertThat(open("/other", "").getResponseCode()).isEqualTo(404);
  }

  @Test
  void fileThatOthersCanReadShouldBeRefused() throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> start(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("web token cannot be used: sailfish.echo.web.token.file=" + file)
        .hasMessageContaining("chmod 600")
        .hasMessageNotContaining("0123");
  }
}
