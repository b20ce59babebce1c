package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.RestClient;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.web.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * A web process that has seen a thousand jobs end and keeps them in its history: it shows them
 * without a wait, and to nobody who has not logged in.
 */
@Tag("long")
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThousandJobsTest {
  private static final int JOBS = 1_000;
  private static final int PAGE = 50;
  private static final long AT_ONCE_MS = 1_000;
  private static final Duration STEP = Duration.ofSeconds(90);
  private static final String TOKEN = "the-token-of-the-pages";
  private static final String NOTE = "main .panel > .note";

  @TempDir static Path directory;
  private static SailfishDaemons daemons;
  private static EndedApplications applications;
  private static WebServer web;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    daemons = SailfishDaemons.startOpen(directory, 1, Map.of());
    applications = new EndedApplications(JOBS, System.currentTimeMillis());
    Path token =
        Files.createFile(
            directory.resolve("token"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(token, TOKEN + "\n");
    web =
        WebServer.start(
            directory,
            Map.of(
                "sailfish.web.authentication", "none",
                "sailfish.web.metaserver.address", "127.0.0.1:" + daemons.address().getPort(),
                "sailfish.web.resourcemanager", applications.address(),
                "sailfish.web.history.dir", directory.resolve("history").toString(),
                "sailfish.web.token.file", token.toString()));
    browser = Browser.open();
    go("/jobs");
    logIn();
    browser.until(
        STEP, () -> assertThat(living()).containsPattern("(?m)^sailfish_web_jobs_ended 1000\\.0$"));
  }

  private static String living() {
    return String.valueOf(
        browser.script("return fetch('/metrics').then((answer) => answer.text());"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (web != null) {
      web.close();
    }
    if (applications != null) {
      applications.close();
    }
    if (daemons != null) {
      daemons.close();
    }
  }

  @BeforeEach
  void begin() {
    browser.size(1700, 1000);
  }

  private static void go(String path) {
    browser.open(web.address() + path);
  }

  private static void logIn() {
    browser.seeWords("h1", "Log in");
    browser.press(TOKEN, Keys.ENTER);
    browser.seeWords("h1", "Jobs");
  }

  /** Until a page that is opened anew shows its first job, in ms. */
  private static long firstViewMs(String path) {
    go(path);
    return (Long)
        browser.script(
            """
            return new Promise((done) => {
              const look = () => document.querySelector("tbody tr[data-key]") === null
                ? requestAnimationFrame(look)
                : done(Math.round(performance.now()));
              look();
            });
            """);
  }

  /**
   * How long it takes from what somebody does until the page says how many jobs there are now.
   *
   * @param action a script
   * @param total of the jobs that are to be found
   */
  private static long tookMs(String action, int total) {
    String words = "%,d job".formatted(total);
    return (Long)
        browser.script(
            """
            return new Promise((done) => {
              const begun = performance.now();
              %s
              const look = () =>
                document.querySelector(arguments[0])?.textContent.startsWith(arguments[1])
                && document.querySelector(arguments[2])
                  ? done(Math.round(performance.now() - begun))
                  : requestAnimationFrame(look);
              look();
            });
            """
                .replace("%s", action)
                .replace("arguments[0]", "'" + NOTE + "'")
                .replace("arguments[1]", "'" + words + "'")
                .replace("arguments[2]", "'tbody tr[data-key]'"));
  }

  private static String choose(String label, String value) {
    return """
        const label = [...document.querySelectorAll("label")].find((one) => one.textContent === "%s");
        const field = document.getElementById(label.htmlFor);
        field.value = "%s";
        field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input"));
        """
        .formatted(label, value);
  }

  private static int count(int remainder, int modulus) {
    return (int) IntStream.rangeClosed(1, JOBS).filter(job -> job % modulus == remainder).count();
  }

  private static void isAtOnce(String what, long ms) {
    System.out.println("ThousandJobsTest: " + what + " took " + ms + " ms");
    assertThat(ms).as("ms: %s", what).isLessThan(AT_ONCE_MS);
  }

  @Test
  @Order(1)
  void theFirstViewSearchFiltersAndPagesAreThereAtOnce() throws Exception {
    firstViewMs("/jobs"); // the browser keeps scripts
    isAtOnce("first view", firstViewMs("/jobs"));
    browser.seeWords(NOTE, "1,000 jobs");
    assertThat(browser.all("tbody tr[data-key]")).hasSize(PAGE);
    assertThat(browser.words("tbody tr:first-child")).contains(EndedApplications.name(JOBS));

    isAtOnce("user", tookMs(choose("User", "user-3"), count(3, EndedApplications.USERS)));
    assertThat(browser.address()).contains("user=user-3");
    isAtOnce("all users", tookMs(choose("User", ""), JOBS));
    isAtOnce("queue", tookMs(choose("Queue", "queue-1"), count(1, EndedApplications.QUEUES)));
    isAtOnce("all queues", tookMs(choose("Queue", ""), JOBS));
    isAtOnce("state", tookMs(choose("State", "FAILED"), JOBS / 10));
    assertThat(browser.words("tbody [data-column=verdict]")).contains("a disk is full");
    isAtOnce("all states", tookMs(choose("State", ""), JOBS));
    isAtOnce("search", tookMs(choose("Search", "hourly clicks"), count(0, 3)));
    isAtOnce("search of an id", tookMs(choose("Search", EndedApplications.job(17)), 1));
    assertThat(browser.words("tbody tr")).contains(EndedApplications.name(17));

    isAtOnce("last page", firstViewMs("/jobs?page=19"));
    assertThat(browser.words(".pager")).contains("951–1000 of 1000");
    assertThat(browser.words("tbody tr:last-child")).contains(EndedApplications.name(1));
    isAtOnce("by name", firstViewMs("/jobs?sort=name"));
    assertThat(browser.words("tbody tr:first-child")).contains("daily sessions 1");
    shouldBeAccessible();
    go("/jobs/" + EndedApplications.job(500));
    browser.seeWords(".verdict", "a disk is full");
    shouldBeAccessible();
  }

  private static void shouldBeAccessible() throws IOException {
    browser.drawn();
    assertThat(browser.accessibilityFaults()).as(browser.address()).isEmpty();
  }

  @Test
  @Order(2)
  void withoutTheTokenNothingIsTold() throws Exception {
    List<String> secrets =
        List.of("daily sessions", "hourly clicks", "user-", "queue-", "a disk is full");
    String job = EndedApplications.job(500);
    RestClient anybody = new RestClient(web.address());
    for (String path :
        List.of(
            "/api/v1/jobs",
            "/api/v1/jobs?text=daily",
            "/api/v1/jobs/" + job,
            "/api/v1/jobs/" + job + "/plan",
            "/api/v1/jobs/" + job + "/ifiles",
            "/api/v1/cluster",
            "/api/v1/store",
            "/api/v1/events?topic=jobs",
            "/api/v1/events?topic=job:" + job)) {
      RestClient.Answer answer = anybody.ask(path);
      assertThat(answer.status()).as(path).isEqualTo(401);
      assertThat(answer.text()).as(path).doesNotContain(secrets);
    }
    String known = anybody.ask("/api/v1/jobs/" + job).text();
    String unknown = anybody.ask("/api/v1/jobs/job_1_1").text();
    // Nothing but the path that was asked for.
    assertThat(unknown.replace("job_1_1", job)).as("of a job that is none").isEqualTo(known);
    for (String path : List.of("/jobs", "/cluster", "/metrics", "/q/health", "/q/openapi")) {
      assertThat(anybody.ask(path).text()).as(path).doesNotContain(secrets).doesNotContain(job);
    }
    try (Browser other = Browser.open()) {
      for (String path : List.of("/jobs", "/jobs/" + job, "/jobs/" + job + "/plan", "/cluster")) {
        other.open(web.address() + path);
        other.seeWords("h1", "Log in");
        String shown = (String) other.script("return document.documentElement.outerHTML;");
        assertThat(shown).as(path).doesNotContain(secrets);
      }
      other.drawn();
      assertThat(other.accessibilityFaults()).isEmpty();
      other.press("wrong", Keys.ENTER);
      other.seeWords("#token-fault", "That is not the token.");
    }
  }

  @Test
  @Order(3)
  void allOfThemSurviveTheDeathOfTheProcess() throws Exception {
    applications.forget();
    go("/jobs");
    browser.see("tbody tr[data-key]");
    web.kill();
    browser.seeWords(".connection", "no connection");
    assertThat(browser.all("tbody tr[data-key]")).as("what was known stays").hasSize(PAGE);
    web.start();
    browser.until(STEP, () -> assertThat(browser.words(".connection")).isEqualTo("live"));
    isAtOnce("first view after a restart", firstViewMs("/jobs"));
    browser.seeWords(NOTE, "1,000 jobs");
    go("/jobs/" + EndedApplications.job(1));
    browser.seeWords("h1", EndedApplications.name(1));
  }
}
