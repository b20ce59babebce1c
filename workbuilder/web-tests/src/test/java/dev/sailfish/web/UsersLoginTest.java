package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import dev.sailfish.kdc.TestKdc;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.Subject;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tickets and cookies that are good, and those that are not, at two processes with different
 * tokens; the second asks a YARN that wants Kerberos, and shows all jobs to all users.
 */
class UsersLoginTest {
  private static final String PATH = "/api/v1/jobs";
  private static final String COOKIE_OF_YARN = "hadoop.auth=good";

  @TempDir static Path directory;
  private static final Set<String> CLIENTS = ConcurrentHashMap.newKeySet();
  private static UsersSetup setup;
  private static WebProcess web;
  private static WebProcess other;

  @BeforeAll
  static void start() throws Exception {
    setup = new UsersSetup(directory);
    Subject service = Spnego.service(setup.keytab);
    setup.yarn.guard(exchange -> isKnown(exchange, service));
    Map<String, String> settings = setup.settings(UsersSetup.TOKEN);
    settings.put("resourcemanager", "");
    settings.put("historyserver", "");
    web = WebProcess.start(Files.createDirectories(directory.resolve("one")), settings);
    Map<String, String> others = setup.settings("another-token-of-pages");
    others.put("acls", "off");
    others.put("login.lifetime", "3s");
    others.put("kerberos.client.principal", UsersSetup.CLIENT + "@" + TestKdc.REALM);
    others.put("kerberos.auth.to.local", "RULE:[1:$1](eve)s/eve/adam/ DEFAULT");
    other = WebProcess.start(Files.createDirectories(directory.resolve("other")), others);
  }

  @AfterAll
  static void stop() throws Exception {
    web.close();
    other.close();
    setup.close();
  }

  /** As Hadoop's web servers do it: a ticket, and then a cookie. */
  private static boolean isKnown(HttpExchange exchange, Subject service) {
    String cookie = String.valueOf(exchange.getRequestHeaders().getFirst("Cookie"));
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    if (cookie.contains(COOKIE_OF_YARN)) {
      return true;
    }
    if (header == null) {
      exchange.getResponseHeaders().add("WWW-Authenticate", "Negotiate");
      return false;
    }
    try {
      CLIENTS.add(Spnego.opened(service, header));
      exchange.getResponseHeaders().add("Set-Cookie", COOKIE_OF_YARN + "; Path=/; HttpOnly");
      return true;
    } catch (IOException e) {
      CLIENTS.add("refused: " + e.getMessage());
      return false;
    }
  }

  private static String ticket(String user) throws Exception {
    return Spnego.header(setup.user(user));
  }

  private static String cookie(HttpResponse<String> answer) {
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return cookie.substring(0, cookie.indexOf(';'));
  }

  private static int status(WebProcess asked, String... headers) throws Exception {
    return asked.get(PATH, headers).statusCode();
  }

  @Test
  void aTicketIsEnoughAndGivesACookie() throws Exception {
    HttpResponse<String> asks = web.get(PATH, "Accept", "application/json");
    assertThat(asks.statusCode()).isEqualTo(401);
    assertThat(asks.headers().allValues("WWW-Authenticate"))
        .contains("Negotiate", "Bearer realm=\"sailfish\"");
    assertThat(WebProcess.parsed(asks).path("detail").asText()).contains("kinit");
    String ticket = ticket("ann");
    HttpResponse<String> answer = web.get(PATH, "Authorization", ticket);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Negotiate ");
    String set = answer.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(set).contains("HttpOnly", "SameSite=Strict", "Path=/");
    assertThat(set).doesNotContain("Secure");
    assertThat(status(web, "Cookie", cookie(answer))).isEqualTo(200);
    assertThat(status(web, "Authorization", ticket)).as("a ticket counts once").isEqualTo(401);
  }

  @Test
  void whatIsNoTicketIsRefused() throws Exception {
    String ticket = ticket("ann");
    for (String wrong :
        List.of(
            "Negotiate",
            "Negotiate !",
            "Negotiate " + Base64.getEncoder().encodeToString(new byte[300]),
            "Negotiate TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAAKALpHAAAADw==",
            ticket.substring(0, ticket.length() / 2),
            "Basic " + Base64.getEncoder().encodeToString("ann:".getBytes()),
            "Bearer")) {
      HttpResponse<String> answer = web.get(PATH, "Authorization", wrong);
      assertThat(answer.statusCode()).as(wrong).isEqualTo(401);
      assertThat(answer.headers().firstValue("Set-Cookie")).as(wrong).isEmpty();
    }
    assertThat(web.get("/q/health").statusCode()).isEqualTo(200);
  }

  @Test
  void cookiesThatAreForgedOrForeignAreRefused() throws Exception {
    String good = cookie(web.get(PATH, "Authorization", ticket("ann")));
    String name = good.substring(0, good.indexOf('=') + 1);
    String[] parts = good.substring(name.length()).split("\\.");
    String root = Base64.getUrlEncoder().encodeToString("bob".getBytes(StandardCharsets.UTF_8));
    char otherFirst = parts[2].charAt(0) == '0' ? '1' : '0';
    for (String forged :
        List.of(
            name + root + "." + parts[1] + "." + parts[2],
            name + "." + parts[1] + "." + parts[2],
            name + parts[0] + "." + (Long.parseLong(parts[1]) + 1) + "." + parts[2],
            name + parts[0] + "." + parts[1] + "." + otherFirst + parts[2].substring(1),
            name + parts[0] + "." + parts[1],
            name + "open",
            name)) {
      assertThat(status(web, "Cookie", forged)).as(forged).isEqualTo(401);
    }
    assertThat(status(other, "Cookie", good)).as("of another process").isEqualTo(401);
    assertThat(status(web, "Cookie", good)).isEqualTo(200);
  }

  @Test
  void aCookieExpiresAndSoDoesWhatIsLive() throws Exception {
    String cookie = cookie(other.get(PATH, "Authorization", ticket("bob")));
    assertThat(status(other, "Cookie", cookie)).isEqualTo(200);
    try (Stream live =
        new Stream(
            HttpClient.newHttpClient(),
            other.request("/api/v1/events?topic=jobs").header("Cookie", cookie).build())) {
      Optional<JsonNode> event = live.poll("jobs");
      assertThat(event).isPresent();
      while (event.isPresent()) {
        event = live.poll("jobs");
      }
    }
    Awaitility.await("the end of the cookie")
        .atMost(WebProcess.DEADLINE)
        .until(() -> status(other, "Cookie", cookie) == 401);
  }

  @Test
  void yarnIsAskedWithATicketOfTheProcess() throws Exception {
    String token = "Bearer another-token-of-pages";
    Awaitility.await("jobs of a YARN that wants Kerberos")
        .atMost(WebProcess.DEADLINE)
        .until(
            () ->
                WebProcess.parsed(other.get(PATH, "Authorization", token)).path("total").asInt()
                    == 3);
    assertThat(CLIENTS).containsExactly(UsersSetup.CLIENT + "@" + TestKdc.REALM);
    HttpResponse<String> all = other.get(PATH, "Authorization", ticket("mallory"));
    assertThat(WebProcess.parsed(all).path("total").asInt())
        .as("without lists users see all jobs")
        .isEqualTo(3);
    assertThat(status(web, "Authorization", token)).as("the other's token").isEqualTo(401);
  }

  @Test
  void namesFollowTheRules() throws Exception {
    String set = cookie(other.get(PATH, "Authorization", ticket("eve")));
    String name = set.substring(set.indexOf('=') + 1, set.indexOf('.'));
    assertThat(new String(Base64.getUrlDecoder().decode(name), StandardCharsets.UTF_8))
        .isEqualTo("adam");
  }

  @Test
  void pagesAndFilesAreForAnyone() throws Exception {
    for (String path : List.of("/", "/jobs/" + UsersSetup.PRIVATE, "/app/main.js")) {
      HttpResponse<String> answer = web.get(path, "Accept", "text/html");
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.headers().firstValue("Location")).isEmpty();
    }
    HttpResponse<String> login =
        web.post("/login?to=http://evil.test/", "{\"token\":\"" + UsersSetup.TOKEN + "\"}");
    assertThat(login.statusCode()).isEqualTo(204);
    assertThat(login.headers().firstValue("Location")).isEmpty();
    assertThat(status(web, "Cookie", cookie(login))).isEqualTo(200);
  }
}
