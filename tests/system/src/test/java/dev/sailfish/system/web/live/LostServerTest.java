package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.StockOutput;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A chunkserver with a part of a job's data is killed: what the pages say of it, and of the job.
 */
@Tag("long")
class LostServerTest extends LiveTest {
  private static final int MAPS = 6;

  @BeforeAll
  static void start() {
    open(new SailfishOptions(3, Map.of("sailfish.metaserver.dead.after", "3s")));
  }

  @Test
  void theClusterSaysWhatToDoAndTheJobWhichMapsRanAgain() throws Exception {
    RandomJobSpec spec = spec(one -> one.maps() == MAPS && one.reduces() == 3 && !one.hotKey());
    Map<String, String> keys =
        Map.of(
            RandomJobSpec.MAP_MS,
            "5000",
            "mapreduce.map.speculative",
            "false",
            "sailfish.client.deadline",
            "5s",
            "sailfish.reduce.work.target",
            "64k",
            RandomJobSpec.SEVERAL_PARTITIONS,
            "true");
    LiveJob job = cluster.start("lost", spec, ReduceWork.AUTO, keys);
    go(job.page());
    browser.until(
        STEP, () -> assertThat(browser.value("[data-figure=mapsDone]")).isIn("3", "4", "5"));
    DaemonRecord victim = mostAppended();
    go("/cluster");
    String row = "tr[data-key='chunkserver " + victim.address() + "']";
    browser.seeWords(row + " [data-column=state]", "up");
    cluster.cluster().kill(victim);

    browser.until(
        STEP,
        () -> assertThat(browser.words(row + " [data-column=state]")).contains("does not answer"));
    String advice = "look whether its process runs on " + victim.address();
    browser.until(STEP, () -> assertThat(browser.words(".advice")).contains(advice));
    assertThat(browser.words(".advice .level-bad .hidden-text")).isEqualTo("bad");
    assertThat(browser.value("[data-figure=poor]")).isEqualTo("1");
    assertThat(browser.words(row + " [data-column=heard]")).endsWith("ago");
    shouldBeAccessible();

    go(job.page());
    browser.until(
        STEP,
        () -> assertThat(browser.words("[aria-label='What happened']")).contains("map runs again"));
    shouldBeAccessible();
    job.awaitSuccess();
    awaitKept();
    go(job.page());
    whatRanAgainIsThatOfTheHistory(job);
    assertThat(String.join("", OutputFiles.read(job.output()).values()))
        .isEqualTo(String.join("", StockOutput.of(spec, temporary.resolve("lost-stock")).values()));

    cluster.cluster().startAgain(victim);
    go("/cluster");
    browser.until(
        STEP, () -> assertThat(browser.words(row + " [data-column=state]")).contains("up"));
    browser.until(STEP, () -> assertThat(browser.words(".advice")).doesNotContain(advice));
  }

  /** The server that has most of all chunks. */
  private static DaemonRecord mostAppended() {
    Map<String, Long> used = new HashMap<>();
    for (JsonNode server : cluster.api().get("/api/v1/cluster").orElseThrow().path("servers")) {
      for (JsonNode tier : server.path("tiers")) {
        used.merge(server.path("address").asText(), tier.path("usedBytes").asLong(), Long::sum);
      }
    }
    return cluster.cluster().state().chunkservers().stream()
        .max(
            (left, right) ->
                Long.compare(
                    used.getOrDefault(left.address(), 0L), used.getOrDefault(right.address(), 0L)))
        .orElseThrow();
  }

  /** Which maps ran again is told once by Hadoop, and once by the page. */
  private static void whatRanAgainIsThatOfTheHistory(LiveJob job) {
    browser.see("[aria-label='What happened'] tr[data-key]");
    Rows events = Rows.of(browser, "What happened");
    Set<String> told = new HashSet<>();
    events
        .byKey()
        .values()
        .forEach(
            event -> {
              if (event.get("kind").equals("map runs again")) {
                told.add(event.get("task"));
                assertThat(event.get("text")).contains("could not read it");
              }
            });
    Set<String> again = job.inHistory().mapsWithSeveralAttempts().collect(Collectors.toSet());
    assertThat(told).isNotEmpty().isEqualTo(again);
    assertThat(browser.words(".verdict")).contains(" ran again because output was lost");
    assertThat(browser.words("main"))
        .containsPattern(
            "(?<!\\d)" + again.size() + " maps? runs? again because \\w+ output was lost")
        .contains("I-files with lost chunks");
  }
}
