package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.FreePort;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;

/** The web process with TLS and a token, before daemons with TLS, in a browser. */
@Tag("long")
class TlsPagesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final String TOKEN = "the-token-of-the-pages";
  private static final String JOB = "job_1_1";
  private static final String REPORT =
      "{\"version\":1,\"sequence\":1,\"job\":\"job_1_1\",\"attempt\":1,\"mode\":\"auto\","
          + "\"why\":\"asked for\",\"plan\":null,\"events\":[],\"ended\":null}";

  @TempDir static Path directory;
  private static TestAuthority authority;
  private static SailfishDaemons daemons;
  private static Process web;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    authority = TestAuthority.create(Files.createDirectory(directory.resolve("keys")));
    Path server = authority.serverFile(authority.issue("server"), false);
    Path client = authority.clientFile();
    Map<String, String> settings = new HashMap<>();
    for (String daemon : List.of("sailfish.metaserver.", "sailfish.chunkserver.")) {
      settings.putAll(authority.daemon(daemon, server, client));
    }
    daemons = SailfishDaemons.startOpen(directory, 1, settings);
    port = FreePort.next();
    Map<String, String> keys = new HashMap<>(authority.daemon("sailfish.web.", server, client));
    keys.put("sailfish.web.bind", "127.0.0.1");
    keys.put("sailfish.web.port", Integer.toString(port));
    keys.put("sailfish.web.authentication", "none");
    keys.put("sailfish.web.metaserver.address", "127.0.0.1:" + daemons.address().getPort());
    keys.put("sailfish.web.token.file", token().toString());
    StringBuilder properties = new StringBuilder();
    keys.forEach((key, value) -> properties.append(key + "=" + value + "\n"));
    Path file = Files.writeString(directory.resolve("web.properties"), properties.toString());
    Path log = directory.resolve("web.log");
    String command = SailfishCommand.projectRoot().resolve("bin/sailfish-web").toString();
    web =
        new ProcessBuilder(command, file.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    await("the web process").atMost(DEADLINE).until(() -> isReady(log));
  }

  private static Path token() throws IOException {
    Path file =
        Files.createFile(
            directory.resolve("token"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, TOKEN + "\n");
  }

  private static boolean isReady(Path log) throws IOException {
    String said = Files.readString(log);
    assertThat(web.isAlive()).as(said).isTrue();
    return said.contains("web ready 127.0.0.1:" + port);
  }

  @AfterAll
  static void stop() throws Exception {
    if (web != null) {
      web.destroy();
      if (!web.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        web.destroyForcibly();
      }
    }
    if (daemons != null) {
      daemons.close();
    }
  }

  private static String page(String path) {
    return "https://127.0.0.1:" + port + path;
  }

  /** What lets the browser trust whom this authority has given a certificate. */
  private static String trust() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(authority.trustStore())) {
      store.load(in, TestAuthority.PASSWORD.toCharArray());
    }
    byte[] key = store.getCertificate(store.aliases().nextElement()).getPublicKey().getEncoded();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(key);
    return "--ignore-certificate-errors-spki-list=" + Base64.getEncoder().encodeToString(digest);
  }

  @Test
  void theCookieOfALoginIsSecureAndOpensThePages() throws Exception {
    try (Browser browser = Browser.withFlags(trust())) {
      browser.open(page("/cluster"));
      browser.seeWords("h1", "Log in");
      assertThat(browser.cookie("sailfish-web")).isNull();
      browser.press(TOKEN, Keys.ENTER);
      browser.see("tr[data-key^='metaserver']");
      Cookie cookie = browser.cookie("sailfish-web");
      assertThat(cookie.isSecure()).isTrue();
      assertThat(cookie.isHttpOnly()).isTrue();
      assertThat(cookie.getSameSite()).isEqualTo("Strict");
      assertThat(cookie.getValue()).doesNotContain(TOKEN);
      assertThat(browser.script("return document.cookie;")).isEqualTo("");
      browser.until(() -> assertThat(browser.words(".connection")).isEqualTo("live"));
    }
  }

  @Test
  void nothingOfThePagesIsMixedOrForbidden() throws Exception {
    try (Browser browser = Browser.withFlags(trust())) {
      browser.open(page("/jobs"));
      browser.seeWords("h1", "Log in");
      browser.press(TOKEN, Keys.ENTER);
      browser.seeWords("h1", "Jobs");
      assertThat(report(browser)).isEqualTo(204L);
      Map<String, String> headings =
          Map.of(
              "/jobs",
              "Jobs",
              "/jobs/" + JOB,
              JOB,
              "/jobs/" + JOB + "/ifiles",
              JOB,
              "/jobs/" + JOB + "/plan",
              JOB,
              "/cluster",
              "Cluster",
              "/store",
              "Store",
              "/store/files",
              "Files");
      for (Map.Entry<String, String> entry : headings.entrySet()) {
        browser.open(page(entry.getKey()));
        browser.seeWords("h1", entry.getValue());
        browser.until(
            () -> assertThat(loaded(browser)).anyMatch(one -> one.toString().contains("/api/v1/")));
        browser.drawn();
        assertThat(browser.script("return window.isSecureContext;")).isEqualTo(true);
        assertThat(loaded(browser)).as(entry.getKey()).isNotEmpty().allMatch(TlsPagesTest::isOurs);
      }
      assertThat(browser.complaints()).isEmpty();
    }
  }

  /** Tells of a job, so that it has pages; returns the status of the answer. */
  private static Object report(Browser browser) {
    return browser.script(
        """
        return fetch("/api/v1/reports/job_1_1", {method: "POST", body: arguments[0],
          headers: {"Content-Type": "application/json"}}).then((answer) => answer.status);
        """,
        REPORT);
  }

  /** Addresses of all that the page was made of. */
  private static List<Object> loaded(Browser browser) {
    List<?> found =
        (List<?>)
            browser.script(
                "return performance.getEntriesByType('resource').map((one) => one.name);");
    return List.copyOf(found);
  }

  private static boolean isOurs(Object address) {
    return address.toString().startsWith(page("/"));
  }

  @Test
  void aBrowserThatDoesNotTrustTheAuthorityShowsNothing() {
    try (Browser browser = Browser.open()) {
      browser.open(page("/jobs"));
      assertThat(browser.words("body")).contains("ERR_CERT_AUTHORITY_INVALID");
    }
  }

  @Test
  void withoutTlsNothingIsServed() {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/jobs"))
            .timeout(DEADLINE)
            .build();
    assertThatThrownBy(() -> http.send(request, HttpResponse.BodyHandlers.ofString()))
        .isInstanceOf(IOException.class);
  }
}
