package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.kdc.TicketCache;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.web.Browser;
import dev.sailfish.system.yarn.KerberizedCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The web process on a YARN whose own pages want Kerberos tickets: it shows its ticket there, and
 * users come with theirs, in programs and in browsers. Bob's job has ended before the process
 * starts, so all that is known of it is the history server's; Alice's runs, and she lets Bob see
 * it. Carol is an administrator, Mallory has a ticket and no job.
 */
@Tag("long")
@Timeout(500)
class KerberosPagesTest {
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final Duration STEP = Duration.ofSeconds(90);
  private static final String NOBODYS = "job_1_0001";
  private static final String LOCALHOST = "localhost";
  private static final String ALLOWED = "--auth-server-allowlist=" + LOCALHOST;

  /** A job of {@code RandomJobMain} with two maps and two reduces: each is a JVM. */
  private static final String JOB_SEED = "4099";

  @TempDir static Path temporary;
  private static KerberizedCluster cluster;
  private static Configuration yarn;
  private static WebServer web;
  private static String bobs;

  @BeforeAll
  static void start() throws Exception {
    cluster = KerberizedCluster.startWithPages(temporary);
    yarn = new Configuration(false);
    for (String site : List.of("yarn-site.xml", "mapred-site.xml")) {
      yarn.addResource(cluster.conf().resolve(site).toUri().toURL());
    }
    run(KerberizedCluster.BOB);
    web = WebServer.start(temporary, keys(), cluster.strangersEnvironment());
    await("Bob's job in the history")
        .atMost(STEP)
        .untilAsserted(() -> assertThat(client(KerberizedCluster.BOB).jobs()).hasSize(1));
    bobs = client(KerberizedCluster.BOB).jobs().iterator().next();
  }

  @AfterAll
  static void stop() throws Exception {
    if (web != null) {
      web.close();
    }
    if (cluster != null) {
      cluster.stop();
    }
  }

  private static Map<String, String> keys() throws IOException {
    Path secret = cluster.user().secret();
    InetSocketAddress metaserver = cluster.metaserverAddress();
    Map<String, String> keys = new HashMap<>();
    keys.put("metaserver.address", metaserver.getHostString() + ":" + metaserver.getPort());
    keys.put("cluster.secret.file", secret.toString());
    keys.put("resourcemanager", page("yarn.resourcemanager.webapp.address", ""));
    keys.put("historyserver", page("mapreduce.jobhistory.webapp.address", ""));
    keys.put("history.dir", temporary.resolve("web-history").toString());
    keys.put("token.file", token().toString());
    keys.put("kerberos.principal", cluster.pages());
    keys.put("kerberos.keytab", cluster.keytab());
    keys.put("kerberos.client.principal", cluster.metaserver());
    keys.put("administrators", KerberizedCluster.CAROL);
    Map<String, String> named = new HashMap<>();
    keys.forEach((key, value) -> named.put("sailfish.web." + key, value));
    return named;
  }

  private static Path token() throws IOException {
    Path file =
        Files.createFile(
            temporary.resolve("token"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, "the-token-of-the-pages\n");
  }

  /** An address of YARN's pages, by the host's name, for which there are tickets. */
  private static String page(String key, String path) {
    String address = yarn.get(key);
    return "http://" + LOCALHOST + address.substring(address.indexOf(':')) + path;
  }

  /** Runs a job of a user to its end. */
  private static void run(String user, String... settings) throws Exception {
    List<String> job = new ArrayList<>(List.of("jar", "--shuffle", "sailfish"));
    job.add("-D" + KerberizedCluster.ONE_OWNER);
    for (String setting : settings) {
      job.add("-D" + setting);
    }
    job.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    job.addAll(List.of("dev.sailfish.jobs.RandomJobMain", JOB_SEED));
    job.add(temporary.resolve("of-" + user).toString());
    cluster.user(user).succeed(JOB, job.toArray(new String[0]));
  }

  private static TicketClient client(String user) throws Exception {
    return new TicketClient(web.named(), cluster.login(user));
  }

  private static void soon(ThrowingRunnable holds) {
    await().atMost(STEP).pollInterval(Duration.ofMillis(500)).untilAsserted(holds);
  }

  /** What the others rest on: nobody gets at YARN's pages without a ticket. */
  @Test
  void pagesOfYarnWantTickets() throws Exception {
    for (String page :
        List.of(
            page("yarn.resourcemanager.webapp.address", "/ws/v1/cluster/apps"),
            page("mapreduce.jobhistory.webapp.address", "/ws/v1/history/mapreduce/jobs"))) {
      HttpResponse<String> answer = TicketClient.asStranger(URI.create(page));
      assertThat(answer.statusCode()).as(page).isEqualTo(401);
      assertThat(answer.headers().allValues("WWW-Authenticate")).as(page).contains("Negotiate");
    }
  }

  @Test
  void anEndedJobIsKnownFromTheHistoryServer() throws Exception {
    String path = "/api/v1/jobs/" + bobs;
    for (String user : List.of(KerberizedCluster.BOB, KerberizedCluster.CAROL)) {
      soon(
          () -> {
            JsonNode job = client(user).get(path);
            assertThat(job.path("state").asText()).isEqualTo("SUCCEEDED");
            assertThat(job.path("counters").findValuesAsText("name")).contains("MAP_INPUT_RECORDS");
          });
    }
    assertThat(client(KerberizedCluster.BOB).get(path).path("user").asText())
        .isEqualTo(KerberizedCluster.BOB);
    shouldBeHidden(KerberizedCluster.ALICE, bobs);
    shouldBeHidden(KerberizedCluster.MALLORY, bobs);
  }

  /** The list comes from the ApplicationMaster, through the ResourceManager's proxy. */
  @Test
  void aJobThatRunsIsSeenByWhomItsListNames() throws Exception {
    CompletableFuture<Void> end =
        CompletableFuture.runAsync(
            () -> {
              try {
                run(
                    KerberizedCluster.ALICE,
                    "mapreduce.job.acl-view-job=" + KerberizedCluster.BOB,
                    RandomJobSpec.MAP_MS + "=15000");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    soon(() -> assertThat(client(KerberizedCluster.ALICE).jobs()).hasSize(1));
    String hers = client(KerberizedCluster.ALICE).jobs().iterator().next();
    soon(() -> assertThat(client(KerberizedCluster.BOB).jobs()).containsExactly(bobs, hers));
    JsonNode seen = client(KerberizedCluster.BOB).get("/api/v1/jobs/" + hers);
    assertThat(end).isNotDone();
    assertThat(seen.path("state").asText()).isEqualTo("RUNNING");
    assertThat(seen.path("viewAcl").asText().strip()).isEqualTo(KerberizedCluster.BOB);
    assertThat(seen.path("maps").asInt()).isEqualTo(2);
    assertThat(client(KerberizedCluster.CAROL).jobs()).containsExactly(bobs, hers);
    shouldBeHidden(KerberizedCluster.MALLORY, hers);
    assertThat(client(KerberizedCluster.MALLORY).jobs()).isEmpty();

    end.get(JOB.toSeconds(), TimeUnit.SECONDS);
    soon(
        () ->
            assertThat(client(KerberizedCluster.BOB).get("/api/v1/jobs/" + hers).path("state"))
                .hasToString("\"SUCCEEDED\""));
    shouldBeHidden(KerberizedCluster.MALLORY, hers);
  }

  /** The answer is, but for the id, that for a job that does not exist. */
  private static void shouldBeHidden(String user, String job) throws Exception {
    for (String path :
        List.of("/api/v1/jobs/%s", "/api/v1/jobs/%s/ifiles", "/api/v1/jobs/%s/plan")) {
      HttpResponse<String> hidden = client(user).answer(path.formatted(job));
      HttpResponse<String> none = client(user).answer(path.formatted(NOBODYS));
      assertThat(hidden.statusCode()).as(user + path).isEqualTo(404);
      assertThat(none.statusCode()).as(user + path).isEqualTo(404);
      assertThat(hidden.body().replace(job, NOBODYS)).as(user + path).isEqualTo(none.body());
    }
  }

  @Test
  void aBrowserWithATicketOpensThePages() throws Exception {
    try (Browser browser = browser(tickets(KerberizedCluster.BOB), ALLOWED)) {
      browser.open(web.named() + "/jobs");
      browser.seeWords("tr[data-key='" + bobs + "']", "succeeded");
      browser.open(web.named() + "/jobs/" + bobs);
      browser.seeWords(".facts", KerberizedCluster.BOB);
      browser.until(() -> assertThat(browser.words(".connection")).isEqualTo("live"));
      assertThat(browser.cookie("sailfish-web").isHttpOnly()).isTrue();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void aBrowserOfAStrangerShowsNoSuchJob() throws Exception {
    try (Browser browser = browser(tickets(KerberizedCluster.MALLORY), ALLOWED)) {
      browser.open(web.named() + "/jobs/" + bobs);
      browser.seeWords("h1", "No such job");
      assertThat(browser.words("main")).doesNotContain(KerberizedCluster.BOB);
      browser.open(web.named() + "/jobs/" + NOBODYS);
      browser.seeWords("h1", "No such job");
      browser.open(web.named() + "/jobs");
      browser.seeWords("h1", "Jobs");
      browser.until(() -> assertThat(browser.words(".connection")).isEqualTo("live"));
      assertThat(browser.all("tr[data-key]")).isEmpty();
    }
  }

  @Test
  void aBrowserThatSendsNoTicketIsToldWhatToDo() throws Exception {
    String none = "FILE:" + temporary.resolve("none");
    try (Browser browser = browser(Map.of("KRB5CCNAME", none), ALLOWED)) {
      shouldAskForATicket(browser);
    }
    // It has one, and is not told that this server may have it.
    try (Browser browser = browser(tickets(KerberizedCluster.BOB))) {
      shouldAskForATicket(browser);
    }
  }

  private static void shouldAskForATicket(Browser browser) {
    browser.open(web.named() + "/jobs/" + bobs);
    browser.seeWords("h1", "Log in");
    assertThat(browser.words("main")).contains("kinit", LOCALHOST);
    assertThat(browser.cookie("sailfish-web")).isNull();
  }

  /**
   * A browser that has been asked for a ticket before: when a new profile of Chromium is asked for
   * the first time it sends none, and gets ready to do so.
   */
  private static Browser browser(Map<String, String> variables, String... flags) {
    Browser browser = Browser.withEnvironment(variables, flags);
    browser.open(web.named() + "/jobs");
    browser.until(
        () ->
            assertThat(browser.words("h1").equals("Log in") || isLive(browser))
                .as(browser.words("body"))
                .isTrue());
    browser.complaints();
    return browser;
  }

  private static boolean isLive(Browser browser) {
    return browser.words(".connection").equals("live");
  }

  /** Environment of a user's programs in C. */
  private static Map<String, String> tickets(String user) throws Exception {
    String cache =
        TicketCache.write(
            cluster.krb5Conf(),
            cluster.principal(user),
            cluster.usersKeytab(),
            temporary.resolve(user + ".tickets"));
    return Map.of("KRB5CCNAME", cache, "KRB5_CONFIG", cluster.krb5Conf().toString());
  }
}
