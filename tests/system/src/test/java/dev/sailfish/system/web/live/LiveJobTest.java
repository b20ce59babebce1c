package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.ReduceWork;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of a job that runs, of one that has ended, of one that has failed, and of none. */
@Tag("long")
class LiveJobTest extends LiveTest {
  private static final String STATE = ".facts .badge";
  private static final String FIGURE = "[data-figure=%s]";
  private static final List<String> FIGURES =
      List.of(
          "mapsDone", "appendedBytes", "sortedBytes", "reducedBytes", "reducesDone", "taskCpuMs");
  private static final Duration JOB = Duration.ofMinutes(3);
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final int MAPS = 6;

  @BeforeAll
  static void start() {
    open(SailfishOptions.DEFAULT);
  }

  /** What was seen of a job: of each figure all values in their order. */
  private record Seen(Map<String, List<Long>> figures, List<String> phases) {
    void until(BooleanSupplier holds) {
      await()
          .atMost(JOB)
          .pollInterval(LOOK)
          .untilAsserted(
              () -> {
                look();
                assertThat(holds.getAsBoolean()).as("%s", this).isTrue();
              });
    }

    private void look() {
      for (String figure : FIGURES) {
        List<Long> values = figures.computeIfAbsent(figure, key -> new ArrayList<>());
        String value = browser.value(FIGURE.formatted(figure));
        if (!value.isEmpty() && !values.contains(Long.valueOf(value))) {
          values.add(Long.valueOf(value));
        }
      }
      for (String phase : List.of("maps", "appends", "sorts", "plan", "reduces")) {
        boolean runs = browser.words("[data-phase=" + phase + "] .number").endsWith("so far");
        if (runs && !phases.contains(phase)) {
          phases.add(phase);
        }
      }
    }
  }

  @Test
  void aJobGrowsWithoutReloadAndStaysInTheHistory() throws Exception {
    RandomJobSpec spec = spec(one -> one.maps() == MAPS && one.reduces() == 3 && !one.hotKey());
    Map<String, String> keys =
        Map.of(
            RandomJobSpec.MAP_MS,
            "8000",
            RandomJobSpec.REDUCE_MS,
            "6000",
            RandomJobSpec.SEVERAL_PARTITIONS,
            "true",
            RandomJobSpec.LONGER_BY,
            "500",
            "sailfish.reduce.work.target",
            "512k");
    LiveJob job = cluster.start("watched", spec, ReduceWork.AUTO, keys);
    go(job.page());
    browser.until(STEP, () -> assertThat(browser.words(STATE)).isEqualTo("running"));
    browser.script("window.notReloaded = true");
    Seen seen = new Seen(new LinkedHashMap<>(), new ArrayList<>());
    seen.until(() -> seen.figures().get("mapsDone").stream().anyMatch(done -> done >= 2));
    shouldBeAccessible();
    seen.until(() -> !job.runs());
    job.awaitSuccess();
    browser.until(STEP, () -> assertThat(browser.words(STATE)).isEqualTo("succeeded"));
    assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    assertThat(seen.figures().get("mapsDone")).hasSizeGreaterThan(3);
    assertThat(seen.figures().get("appendedBytes")).hasSizeGreaterThan(2);
    assertThat(seen.figures().get("reducedBytes")).hasSizeGreaterThan(1);
    seen.figures().forEach((figure, values) -> assertThat(values).as(figure).isSorted());
    assertThat(seen.phases()).contains("maps", "reduces");
    afterItsEnd(job);
  }

  /** Its figures are those of Hadoop's history, also when the process has forgotten all. */
  private static void afterItsEnd(LiveJob job) throws Exception {
    HadoopHistory history = job.inHistory();
    figuresAreThoseOf(history);
    Map<String, String> before = figures();
    List<String> phases = phases();
    assertThat(phases).hasSize(5).noneMatch(phase -> phase.contains("so far"));
    shouldBeAccessible();
    linksLeadToYarnAndHistory(job);
    awaitKept();

    cluster.cluster().kill(cluster.web());
    browser.seeWords(".connection", "no connection");
    cluster.cluster().startAgain(cluster.web());
    browser.until(STEP, () -> assertThat(browser.words(".connection")).isEqualTo("live"));
    go(job.page());
    browser.until(() -> assertThat(browser.words(STATE)).isEqualTo("succeeded"));
    figuresAreThoseOf(history);
    assertThat(figures()).isEqualTo(before);
    assertThat(phases()).isEqualTo(phases);
    browser.click("a[href='/jobs']");
    browser.seeWords("tr[data-key='" + job.id() + "'] [data-column=state]", "succeeded");
  }

  private static void figuresAreThoseOf(HadoopHistory history) {
    browser.until(
        STEP,
        () -> {
          assertThat(browser.value(FIGURE.formatted("mapsDone")))
              .isEqualTo(Long.toString(history.info().getSucceededMaps()));
          assertThat(browser.value(FIGURE.formatted("reducesDone")))
              .isEqualTo(Long.toString(history.info().getSucceededReduces()));
          assertThat(browser.value(FIGURE.formatted("reducedBytes")))
              .isEqualTo(Long.toString(history.total("REDUCE_SHUFFLE_BYTES")));
          assertThat(browser.value(FIGURE.formatted("taskCpuMs")))
              .isEqualTo(Long.toString(history.total("CPU_MILLISECONDS")));
          assertThat(browser.value(FIGURE.formatted("sortedBytes")))
              .isEqualTo(browser.value(FIGURE.formatted("appendedBytes")));
        });
  }

  private static Map<String, String> figures() {
    Map<String, String> values = new LinkedHashMap<>();
    FIGURES.forEach(figure -> values.put(figure, browser.value(FIGURE.formatted(figure))));
    values.put("wallMs", browser.value(FIGURE.formatted("wallMs")));
    return values;
  }

  private static List<String> phases() {
    List<String> phases = new ArrayList<>();
    for (Object phase :
        (List<?>)
            browser.script(
                "return [...document.querySelectorAll('[data-phase]')]"
                    + ".map((one) => `${one.dataset.phase} ${one.textContent}`);")) {
      phases.add(phase.toString());
    }
    return phases;
  }

  private static void linksLeadToYarnAndHistory(LiveJob job) throws Exception {
    List<String> links =
        browser.all("a.outside").stream().map(link -> link.getAttribute("href")).toList();
    assertThat(links).hasSize(2);
    assertThat(links.get(0)).endsWith("/cluster/app/" + job.id().replace("job_", "application_"));
    assertThat(links.get(1)).endsWith("/jobhistory/job/" + job.id());
    for (String link : links) {
      URI address = URI.create(link);
      RestClient server = new RestClient(address.getScheme() + "://" + address.getAuthority());
      assertThat(server.ask(address.getPath()).status()).as(link).isEqualTo(200);
    }
  }

  @Test
  void aFailedJobSaysWhy() throws Exception {
    Path lines = Files.writeString(temporary.resolve("lines"), "first\nsecond\n# third\n");
    LiveJob job =
        cluster.start(
            "failed",
            List.of("dev.sailfish.jobs.library.LibraryMain", "unreadable-line", lines.toString()),
            ReduceWork.FIXED,
            Map.of("mapreduce.map.maxattempts", "2"));
    go(job.page());
    job.awaitFailure();
    browser.until(STEP, () -> assertThat(browser.words(STATE)).isEqualTo("failed"));
    String cause = "cannot read the line at byte 13: # third";
    browser.until(
        STEP, () -> assertThat(browser.words(".verdict")).contains("The job failed", cause));
    assertThat(browser.words(".verdict .hidden-text")).isEqualTo("bad");
    browser.seeWords("[aria-label='What happened']", "failed");
    browser.until(STEP, () -> assertThat(browser.all("a.outside")).hasSize(2));
    linksLeadToYarnAndHistory(job);
    shouldBeAccessible();

    go("/jobs?state=FAILED");
    browser.seeWords("tr[data-key='" + job.id() + "'] [data-column=verdict]", cause);
    assertThat(browser.all("tr[data-key]")).hasSize(1);
    shouldBeAccessible();
  }

  @Test
  void anIdThatIsNoneHasAClearPage() throws Exception {
    for (String path :
        List.of(
            "/jobs/job_1_1",
            "/jobs/job_1_1/plan",
            "/jobs/nonsense/ifiles",
            "/jobs/..%2f..%2fetc",
            "/jobs/job_1_1/ifiles?partition=99")) {
      go(path);
      browser.seeWords("h1", "No such job");
      assertThat(browser.words(".missing")).as(path).contains("or it is not yours to see");
    }
    shouldBeAccessible();
    go("/no/such/page");
    browser.seeWords("h1", "No such page");
    for (String path : List.of("/api/v1/jobs/job_1_1", "/api/v1/jobs/%20", "/api/v1/none")) {
      RestClient.Answer answer = cluster.api().ask(path);
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(answer.text()).as(path).contains("\"status\":404");
    }
  }
}
