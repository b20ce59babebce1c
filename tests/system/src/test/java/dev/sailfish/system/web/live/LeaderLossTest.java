package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.StockOutput;
import dev.sailfish.system.yarn.ClusterFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three metaservers; the one that leads is killed while pages are open and a job runs. */
@Tag("long")
class LeaderLossTest extends LiveTest {
  private static final String STATE = " [data-column=state]";
  private static final String USERS = ".panel:has([aria-label=Users])";

  /** By address; taken over while they run, so that they can be started again. */
  private static final Map<String, DaemonProcess> PROCESSES = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    open(new SailfishOptions(3, 2, 1, 0, Map.of()));
    ClusterFile file = new ClusterFile(cluster.cluster().layout().home());
    for (JsonNode daemon : file.daemons()) {
      if (daemon.path("name").asText().startsWith("metaserver")) {
        RestClient web = new RestClient(daemon.path("web").asText());
        PROCESSES.put(
            daemon.path("address").asText(),
            ClusterFile.process(daemon, () -> web.get("/status").isPresent()));
      }
    }
  }

  private static String row(String address) {
    return "tr[data-key='metaserver " + address + "']";
  }

  /** Waits until one leads, and says which. */
  private static String leader() {
    browser.until(STEP, () -> assertThat(leaders()).hasSize(1));
    return leaders().get(0);
  }

  private static List<String> leaders() {
    return PROCESSES.keySet().stream()
        .filter(address -> browser.words(row(address) + STATE).contains("leads"))
        .toList();
  }

  private static DaemonRecord record(String address) {
    return cluster.cluster().state().metaservers().stream()
        .filter(daemon -> daemon.address().equals(address))
        .findAny()
        .orElseThrow();
  }

  @Test
  void thePagesGoOnWithTheNewLeaderAndSayWhenThereIsNone() throws Exception {
    RandomJobSpec spec = spec(one -> one.maps() == 6 && one.reduces() == 2 && !one.hotKey());
    Map<String, String> keys =
        Map.of(RandomJobSpec.MAP_MS, "16000", RandomJobSpec.REDUCE_MS, "4000");
    LiveJob job = cluster.start("over", spec, ReduceWork.FIXED, keys);
    go("/cluster");
    String first = leader();
    browser.until(STEP, LeaderLossTest::theJobIsCounted);
    browser.script("window.notReloaded = true");
    cluster.cluster().kill(record(first));

    browser.until(
        STEP, () -> assertThat(browser.words(row(first) + STATE)).contains("does not answer"));
    assertThat(browser.words(row(first) + " [data-column=heard]")).endsWith("ago");
    String second = leader();
    assertThat(second).isNotEqualTo(first);
    String advice = "look whether its process runs on " + first;
    browser.until(STEP, () -> assertThat(browser.words(".advice")).contains(advice));
    browser.until(STEP, LeaderLossTest::theJobIsCounted);
    assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    shouldBeAccessible();

    whileNobodyLeads(second);
    PROCESSES.get(second).start();
    new ClusterFile(cluster.cluster().layout().home()).started(PROCESSES.get(second));
    leader();
    browser.until(STEP, () -> assertThat(browser.words(USERS + " .heard")).isEmpty());
    assertThat(browser.words(".advice")).doesNotContain("No metaserver leads");
    assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    jobIsAllRight(job, spec);
  }

  private static void theJobIsCounted() {
    assertThat(browser.words("[aria-label=Users] tr[data-key] [data-column=jobs]")).isEqualTo("1");
  }

  /** Of three the last one does not lead: what the leader said stays, and says how old it is. */
  private static void whileNobodyLeads(String second) throws Exception {
    PROCESSES.get(second).end("KILL");
    browser.until(STEP, () -> assertThat(browser.words(".advice")).contains("No metaserver leads"));
    browser.until(
        STEP, () -> assertThat(browser.words(USERS + ".stale .heard")).contains("last heard"));
    theJobIsCounted(); // what was known stays
    shouldBeAccessible();
    browser.click("nav a[href='/jobs']");
    browser.see("tr[data-key^='job_']");
    browser.click("tr[data-key^='job_'] a");
    browser.see("[data-figure=mapsDone]");
    browser.until(STEP, () -> assertThat(browser.words(".silent")).contains("metaserver"));
    assertThat(browser.words(".silent")).contains("Last heard", "ago");
    shouldBeAccessible();
    browser.click("nav a[href='/cluster']");
    browser.see("[aria-label=Servers] tr[data-key]");
  }

  private static void jobIsAllRight(LiveJob job, RandomJobSpec spec) throws Exception {
    go(job.page());
    job.awaitSuccess();
    browser.until(STEP, () -> assertThat(browser.words(".facts .badge")).isEqualTo("succeeded"));
    assertThat(browser.all(".silent li")).isEmpty();
    assertThat(OutputFiles.read(job.output()))
        .isEqualTo(StockOutput.of(spec, temporary.resolve("over-stock")));
  }
}
