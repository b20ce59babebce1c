package dev.sailfish.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who sees which jobs, files and figures: users with Kerberos tickets, groups, administrators. */
class UsersRightsTest {
  private static final String NOBODYS = "job_9_9";
  private static final Map<String, String> COOKIES = new HashMap<>();

  @TempDir static Path directory;
  private static UsersSetup setup;
  private static WebProcess web;

  @BeforeAll
  static void start() throws Exception {
    setup = new UsersSetup(directory);
    Map<String, String> settings = setup.settings(UsersSetup.TOKEN);
    settings.put("administrators.groups", "daemon");
    web = WebProcess.start(directory, settings);
    Awaitility.await("what is known of jobs")
        .atMost(WebProcess.DEADLINE)
        .until(
            () ->
                jobs("daemon", "").size() == 3
                    && jobs("bob", "").size() == 2
                    && get("ann", "/api/v1/jobs/" + UsersSetup.SHARED + "/ifiles")
                            .path("items")
                            .size()
                        == 1);
  }

  @AfterAll
  static void stop() throws Exception {
    web.close();
    setup.close();
  }

  /** The header of a user who has shown a ticket once. */
  private static String cookie(String user) throws Exception {
    String known = COOKIES.get(user);
    if (known == null) {
      HttpResponse<String> login =
          web.get("/q/openapi", "Authorization", Spnego.header(setup.user(user)));
      assertThat(login.statusCode()).as(user).isEqualTo(200);
      String cookie = login.headers().firstValue("Set-Cookie").orElseThrow();
      known = cookie.substring(0, cookie.indexOf(';'));
      COOKIES.put(user, known);
    }
    return known;
  }

  private static HttpResponse<String> answer(String user, String path) throws Exception {
    return web.get(path, "Cookie", cookie(user));
  }

  private static JsonNode get(String user, String path) throws Exception {
    HttpResponse<String> answer = answer(user, path);
    assertThat(answer.statusCode()).as(user + " asks for " + path).isEqualTo(200);
    return WebProcess.parsed(answer);
  }

  private static List<String> jobs(String user, String query) throws Exception {
    JsonNode page = get(user, "/api/v1/jobs" + query);
    List<String> ids = new ArrayList<>(new TreeSet<>(page.path("items").findValuesAsText("id")));
    assertThat(page.path("total").asInt()).as(user + query).isEqualTo(ids.size());
    return ids;
  }

  private static Stream stream(String user, String topic) throws Exception {
    return new Stream(
        HttpClient.newHttpClient(),
        web.request("/api/v1/events?topic=" + topic).header("Cookie", cookie(user)).build());
  }

  @Test
  void aListHasTheJobsThatWhoAsksMaySee() throws Exception {
    assertThat(jobs("ann", "")).containsExactly(UsersSetup.SHARED, UsersSetup.ENDED);
    assertThat(jobs("bob", "")).containsExactly(UsersSetup.SHARED, UsersSetup.ENDED);
    assertThat(jobs("bin", "")).containsExactly(UsersSetup.SHARED);
    assertThat(jobs("eve", "")).containsExactly(UsersSetup.PRIVATE);
    assertThat(jobs("mallory", "")).isEmpty();
    assertThat(jobs("daemon", "")).hasSize(3);
    HttpResponse<String> token =
        web.get("/api/v1/jobs", "Authorization", "Bearer " + UsersSetup.TOKEN);
    assertThat(WebProcess.parsed(token).path("total").asInt()).isEqualTo(3);
  }

  @Test
  void searchesCountsAndChoicesTellNothingOfOthers() throws Exception {
    for (String query : List.of("?text=job_1_2", "?user=eve", "?queue=queue%20of%20eve")) {
      assertThat(jobs("ann", query)).as(query).isEmpty();
      assertThat(jobs("eve", query)).as(query).containsExactly(UsersSetup.PRIVATE);
    }
    JsonNode page = get("ann", "/api/v1/jobs?size=1");
    assertThat(page.path("total").asInt()).isEqualTo(2);
    assertThat(page.path("users").toString()).isEqualTo("[\"ann\"]");
    assertThat(page.path("queues").toString()).isEqualTo("[\"queue of ann\"]");
    String nothing = answer("mallory", "/api/v1/jobs").body();
    assertThat(nothing).doesNotContain("ann").doesNotContain("eve").doesNotContain("job_");
    assertThat(get("bob", "/api/v1/jobs/" + UsersSetup.SHARED).path("viewAcl").asText())
        .isEqualTo("bob bin");
  }

  @Test
  void aJobThatMayNotBeSeenIsAsOneThatDoesNotExist() throws Exception {
    for (String user : List.of("mallory", "ann")) {
      String hidden = user.equals("ann") ? UsersSetup.PRIVATE : UsersSetup.SHARED;
      same(user, hidden);
    }
    same("mallory", UsersSetup.ENDED);
    same("bin", UsersSetup.ENDED);
  }

  private static void same(String user, String hidden) throws Exception {
    for (String path :
        List.of(
            "/api/v1/jobs/%s",
            "/api/v1/jobs/%s/ifiles",
            "/api/v1/jobs/%s/plan",
            "/api/v1/jobs/%s/ifiles/0/histogram",
            "/api/v1/jobs/%s/ifiles/x/histogram",
            "/api/v1/events?topic=job:%s")) {
      HttpResponse<String> one = answer(user, path.formatted(hidden));
      HttpResponse<String> other = answer(user, path.formatted(NOBODYS));
      assertThat(one.statusCode()).as(user + path).isEqualTo(404);
      assertThat(one.body().replace(hidden, NOBODYS)).as(user + path).isEqualTo(other.body());
      assertThat(headers(one)).as(user + path).isEqualTo(headers(other));
      assertThat(answer("daemon", path.formatted(NOBODYS)).body()).isEqualTo(other.body());
    }
  }

  private static Map<String, List<String>> headers(HttpResponse<String> answer) {
    Map<String, List<String>> headers = new HashMap<>(answer.headers().map());
    headers.keySet().removeIf(name -> name.equalsIgnoreCase("Date"));
    return headers;
  }

  @Test
  void whoMaySeeAJobSeesAllOfIt() throws Exception {
    for (String user : List.of("ann", "bob", "bin", "daemon")) {
      String job = "/api/v1/jobs/" + UsersSetup.SHARED;
      assertThat(get(user, job).path("user").asText()).isEqualTo("ann");
      assertThat(get(user, job + "/ifiles").path("items")).hasSize(1);
      assertThat(get(user, job + "/plan").has("works")).isTrue();
      assertThat(answer(user, job + "/ifiles/0/histogram").statusCode()).isNotEqualTo(401);
    }
    for (String document : List.of("", "/ifiles", "/plan")) {
      assertThat(answer("bob", "/api/v1/jobs/" + UsersSetup.ENDED + document).statusCode())
          .as(document)
          .isEqualTo(200);
    }
  }

  @Test
  void eventsTellNothingOfJobsThatMayNotBeSeen() throws Exception {
    try (Stream mallory = stream("mallory", "jobs");
        Stream ann = stream("ann", "jobs");
        Stream all = stream("daemon", "jobs")) {
      assertThat(all.next("jobs").path("total").asInt()).isEqualTo(3);
      assertThat(ann.next("jobs").path("users").toString()).isEqualTo("[\"ann\"]");
      for (int i = 0; i < 3; i++) {
        JsonNode seen = mallory.next("jobs");
        assertThat(seen.path("total").asInt()).isZero();
        assertThat(seen.toString()).doesNotContain("ann").doesNotContain("job_");
      }
    }
    try (Stream job = stream("bin", "job:" + UsersSetup.SHARED);
        Stream cluster = stream("eve", "cluster")) {
      assertThat(job.next("job:" + UsersSetup.SHARED).path("id").asText())
          .isEqualTo(UsersSetup.SHARED);
      assertThat(cluster.next("cluster").path("users").findValuesAsText("user")).isSubsetOf("eve");
    }
  }

  @Test
  void aUserSeesServersAndHisOwnQuota() throws Exception {
    Awaitility.await("quotas")
        .atMost(WebProcess.DEADLINE)
        .until(() -> get("daemon", "/api/v1/cluster").path("users").size() == 2);
    for (String user : List.of("ann", "eve")) {
      JsonNode cluster = get(user, "/api/v1/cluster");
      assertThat(cluster.path("users").findValuesAsText("user")).containsExactly(user);
      assertThat(cluster.path("servers").findValuesAsText("kind")).contains("metaserver");
    }
    assertThat(get("mallory", "/api/v1/cluster").path("users")).isEmpty();
    assertThat(answer("mallory", "/metrics").statusCode()).isEqualTo(404);
    assertThat(answer("daemon", "/metrics").statusCode()).isEqualTo(200);
  }

  @Test
  void filesAreShownByTheirModes() throws Exception {
    Awaitility.await("the store")
        .atMost(WebProcess.DEADLINE)
        .until(() -> get("ann", "/api/v1/store").path("names").asLong() > 0);
    String files = "/api/v1/store/files?path=";
    assertThat(get("mallory", files + "/").toString()).contains("open");
    assertThat(get("ann", files + "/ann").path("items")).hasSize(1);
    assertThat(get("bin", files + "/team").path("items")).hasSize(1);
    assertThat(get("daemon", files + "/ann").path("items")).hasSize(1);
    for (String path : List.of("/ann", "/ann/secret", "/team", "/team/plans")) {
      HttpResponse<String> hidden = answer("mallory", files + path);
      assertThat(hidden.statusCode()).as(path).isEqualTo(404);
      assertThat(hidden.body()).isEqualTo(answer("mallory", files + "/none").body());
    }
    for (String path : List.of("/ann/secret", "/team/plans")) {
      assertThat(answer("mallory", "/api/v1/store/lineage?path=" + path).statusCode())
          .as(path)
          .isEqualTo(404);
    }
    assertThat(answer("bin", files + "/ann/secret").statusCode()).isEqualTo(404);
  }
}
