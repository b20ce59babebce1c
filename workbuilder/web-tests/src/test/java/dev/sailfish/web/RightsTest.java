package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process with a token, and a real metaserver with a secret. */
class RightsTest {
  private static final String TOKEN = "the-token-of-the-pages";
  private static final String JOB = "job_1_1";
  private static final String REPORT =
      "{\"version\":1,\"sequence\":1,\"job\":\"job_1_1\",\"attempt\":1,\"mode\":\"auto\","
          + "\"why\":\"asked for\",\"plan\":null,\"events\":[],\"ended\":null}";

  @TempDir Path directory;
  private byte[] secret;
  private ShuffleSetup shuffle;
  private WebProcess web;

  @BeforeEach
  void start() throws IOException {
    Path secretFile = directory.resolve("secret");
    ClusterSecret.create(secretFile);
    secret = ClusterSecret.read("secret", secretFile);
    shuffle = new ShuffleSetup(0, Optional.of(Map.entry(secretFile.toString(), secret)));
    Path token = WebProcess.tokenFile(directory.resolve("token"), TOKEN);
    web =
        WebProcess.start(
            directory,
            Map.of(
                "metaserver.address", shuffle.place(),
                "cluster.secret.file", secretFile.toString(),
                "token.file", token.toString()));
  }

  @AfterEach
  void stop() throws IOException {
    web.close();
    shuffle.close();
  }

  private MetaserverClient admitted(String job) throws IOException {
    byte[] tasks = "the secret of the tasks of a job".getBytes(StandardCharsets.US_ASCII);
    return shuffle.client(Credentials.ofJob(job, tasks).admittedBy(secret, "ann"));
  }

  private String signature(String job, String body) throws IOException {
    try (MetaserverClient cluster = shuffle.cluster()) {
      byte[] context = ("sailfish-report\n" + job + "\n").getBytes(StandardCharsets.UTF_8);
      return HexFormat.of()
          .formatHex(
              HmacSha256.of(
                  cluster.accessKey(job), context, body.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Test
  void withoutTheTokenNothingIsSeen() throws Exception {
    for (String path :
        List.of(
            "/api/v1/jobs",
            "/api/v1/jobs/" + JOB,
            "/api/v1/cluster",
            "/api/v1/store",
            "/api/v1/events?topic=jobs",
            "/api/v1/nothing",
            "/metrics",
            "/q/openapi")) {
      HttpResponse<String> answer = web.get(path, "Accept", "application/json");
      assertThat(answer.statusCode()).as(path).isEqualTo(401);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(answer.headers().allValues("WWW-Authenticate"))
          .noneMatch(x -> x.contains("Basic"));
      assertThat(answer.body()).doesNotContain(JOB.equals(path) ? JOB : TOKEN);
    }
    assertThat(web.get("/api/v1/jobs").headers().allValues("WWW-Authenticate"))
        .anyMatch(challenge -> challenge.startsWith("Basic"));
    assertThat(web.get("/api/v1/jobs", "Authorization", "Bearer wrong").statusCode())
        .isEqualTo(401);
    assertThat(web.get("/api/v1/jobs", "Cookie", "sailfish-web=open").statusCode()).isEqualTo(401);
    assertThat(web.get("/q/health").statusCode()).isEqualTo(200);
    assertThat(web.get("/jobs/" + JOB, "Accept", "text/html").statusCode()).isEqualTo(200);
  }

  @Test
  void theTokenOpensEverythingHoweverItIsBorne() throws Exception {
    assertThat(web.get("/api/v1/jobs", "Authorization", "Bearer " + TOKEN).statusCode())
        .isEqualTo(200);
    String pair =
        Base64.getEncoder().encodeToString(("me:" + TOKEN).getBytes(StandardCharsets.UTF_8));
    assertThat(web.get("/metrics", "Authorization", "Basic " + pair).statusCode()).isEqualTo(200);
    HttpResponse<String> wrong = web.post("/login", "{\"token\":\"wrong\"}");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.headers().firstValue("Set-Cookie")).isEmpty();
    HttpResponse<String> login = web.post("/login", "{\"token\":\"" + TOKEN + "\"}");
    assertThat(login.statusCode()).isEqualTo(204);
    String cookie = login.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly", "SameSite=Strict").doesNotContain(TOKEN);
    String pairOfCookie = cookie.substring(0, cookie.indexOf(';'));
    assertThat(web.get("/api/v1/jobs", "Cookie", pairOfCookie).statusCode()).isEqualTo(200);
    assertThat(web.post("/logout", "").headers().firstValue("Set-Cookie").orElseThrow())
        .contains("Max-Age=0");
  }

  @Test
  void aReportMustBeSignedByItsJob() throws Exception {
    String path = "/api/v1/reports/" + JOB;
    assertThat(web.post(path, REPORT).statusCode()).isEqualTo(404);
    try (MetaserverClient task = admitted(JOB);
        MetaserverClient other = admitted("job_1_2")) {
      ShuffleSetup.create(task, JOB, 2);
      ShuffleSetup.create(other, "job_1_2", 2);
      String header = "Sailfish-Signature";
      assertThat(web.post(path, REPORT).statusCode()).isEqualTo(404);
      assertThat(web.post(path, REPORT, header, signature("job_1_2", REPORT)).statusCode())
          .isEqualTo(404);
      assertThat(web.post(path, REPORT + " ", header, signature(JOB, REPORT)).statusCode())
          .isEqualTo(404);
      assertThat(web.post(path, REPORT, header, signature(JOB, REPORT)).statusCode())
          .isEqualTo(204);
      String damaged = "{\"version\":1,";
      HttpResponse<String> refused = web.post(path, damaged, header, signature(JOB, damaged));
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
      HttpResponse<String> plan =
          web.get("/api/v1/jobs/" + JOB + "/plan", "Authorization", "Bearer " + TOKEN);
      assertThat(WebProcess.parsed(plan).path("mode").asText()).isEqualTo("auto");
      String ended = REPORT.replace("\"sequence\":1", "\"sequence\":2");
      String signature = signature(JOB, ended);
      task.deleteJob(JOB);
      assertThat(web.post(path, ended, header, signature).statusCode())
          .as("the last report comes when the metaserver has forgotten the job")
          .isEqualTo(204);
    }
  }

  private Socket silent(String path) throws IOException {
    Socket client = new Socket("127.0.0.1", URI.create(web.base()).getPort());
    String head =
        "POST %s HTTP/1.1\r\nHost: web\r\nContent-Type: application/json\r\nContent-Length: 99";
    client
        .getOutputStream()
        .write((head.formatted(path) + "\r\n\r\n{").getBytes(StandardCharsets.US_ASCII));
    client.setSoTimeout((int) WebProcess.DEADLINE.toMillis());
    return client;
  }

  /** The process has 32 threads that may wait. */
  @Test
  void bodiesThatNeverComeHoldNothingUp() throws Exception {
    List<Socket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        clients.add(silent(i % 2 == 0 ? "/login" : "/api/v1/reports/" + JOB));
      }
      assertThat(web.get("/api/v1/jobs", "Authorization", "Bearer " + TOKEN).statusCode())
          .isEqualTo(200);
      for (Socket client : clients) {
        String answer =
            new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(answer).startsWith("HTTP/1.1 408 ");
      }
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  @Test
  void aLoginThatIsTooLongIsRefused() throws Exception {
    String body = "{\"token\":\"" + TOKEN + "\"}";
    HttpRequest.Builder request = web.request("/login").header("Content-Type", "application/json");
    for (int blanks : new int[] {1 << 10, 1 << 20}) {
      request
          .expectContinue(true)
          .POST(HttpRequest.BodyPublishers.ofString(" ".repeat(blanks) + body));
      assertThat(web.send(request.build()).statusCode()).isEqualTo(blanks == 1 << 10 ? 204 : 413);
    }
    assertThat(web.post("/login", "{\"token\":").statusCode()).isEqualTo(400);
  }

  @Test
  void aReportThatIsTooLongIsRefused() throws Exception {
    String body = "x".repeat((8 << 20) + 1);
    HttpRequest request =
        web.request("/api/v1/reports/" + JOB)
            .header("Content-Type", "application/json")
            .expectContinue(true)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    assertThat(web.send(request).statusCode()).isEqualTo(413);
  }
}
