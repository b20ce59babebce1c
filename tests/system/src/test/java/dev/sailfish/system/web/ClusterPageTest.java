package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages of the cluster and of the store. */
@Tag("long")
class ClusterPageTest extends InBrowser {
  private static final String SERVER = "tr[data-key='chunkserver node-%s:19860'] ";

  @Test
  void whatToDoComesFirstAndTheWorstBeforeAll() {
    pages.go("/cluster");
    browser.seeWords(".advice li:first-child", "node-04:19860");
    assertThat(browser.words(".advice li:first-child .hidden-text")).isEqualTo("bad");
    assertThat(browser.words(".advice li:nth-child(2)")).contains("certificate ends in 9 days");
  }

  @Test
  void serversAreAsTheApiHasThem() {
    pages.go("/cluster");
    browser.seeWords(SERVER.formatted("04"), "does not answer");
    assertThat(browser.words(SERVER.formatted("09"))).contains("draining, 212 left", "0.0.9");
    assertThat(browser.words(SERVER.formatted("02")))
        .contains("3 chunks, 384 MiB", "/rack-2", "283 days");
    assertThat(browser.words(SERVER.formatted("06"))).contains("certificate ends", "9 days");
    assertThat(browser.words("tr[data-key='metaserver meta-1:19850']")).contains("leads");
    assertThat(browser.value("[data-figure=up]")).isEqualTo("16");
    assertThat(browser.value("[data-figure=poor]")).isEqualTo("3");
    assertThat(browser.words("[aria-label=Servers]")).doesNotContain("undefined", "NaN");
    browser.until(
        () -> assertThat(browser.words("main")).contains("Versions differ: 0.0.9, 0.1.0"));
  }

  @Test
  void aServerThatIsLostShowsWithoutReload() {
    pages.go("/cluster?condition=poor");
    browser.see(SERVER.formatted("04"));
    assertThat(browser.all(SERVER.formatted("01"))).isEmpty();
    browser.until(() -> assertThat(pages.api().streams("cluster")).isEqualTo(1));
    Map<String, Object> cluster = new SampleCluster(System.currentTimeMillis()).cluster(12);
    List<Object> servers =
        ((List<?>) cluster.get("servers"))
            .stream()
                .map(
                    one -> {
                      @SuppressWarnings("unchecked")
                      Map<String, Object> server = (Map<String, Object>) one;
                      return server.get("address").equals("node-01:19860")
                          ? (Object) with(server, "up", false)
                          : server;
                    })
                .toList();
    pages.api().answer("/cluster", with(cluster, "servers", servers, "brake", "the brake is on"));
    browser.seeWords(SERVER.formatted("01"), "does not answer");
    browser.seeWords(".verdict", "the brake is on");
  }

  @Test
  void theStoreIsAsTheApiHasIt() {
    pages.go("/store");
    browser.seeWords(".advice", "2 files are lost");
    assertThat(browser.value("[data-figure=names]")).isEqualTo("184233");
    assertThat(browser.value("[data-figure=waiting]")).isEqualTo("131");
    assertThat(browser.value("[data-figure=savedBytes]")).isEqualTo(String.valueOf(618L << 30));
    browser.seeWords("[aria-label='Queue of checkpoints']", "copying at node-01:19885");
    browser.seeWords("main", "The oldest has waited for 12 min 34 s.");
    browser.seeWords("tr[data-key='2335']", "step 1 of 2: 12 of 28 tasks have succeeded");
    assertThat(browser.words("tr[data-key='2335']"))
        .contains("recomputing", "application_1795728000000_0042");
    browser.seeWords("tr[data-key='233a']", "given up");
  }

  @Test
  void aClusterWithoutAStoreSaysSo() {
    pages.api().answer("/store", Json.object("present", false));
    pages.go("/store");
    browser.seeWords(".missing", "has no lineage store");
  }

  @Test
  void aFileShowsWhatItWasMadeOf() {
    pages.go("/store/files?path=/warehouse/sessions");
    browser.seeWords("tr[data-key='part-r-00003']", "lost");
    assertThat(browser.words("tr[data-key='part-r-00004']"))
        .contains("recomputing", "12 of 28 tasks");
    assertThat(browser.words("tr[data-key='part-r-00001']")).contains("checkpointing", "pinned");
    browser.click("tr[data-key='part-r-00001'] a");
    browser.see("svg.graph");
    assertThat(browser.address()).contains("file=%2Fwarehouse%2Fsessions%2Fpart-r-00001");
    assertThat(browser.all("svg.graph a.node")).hasSize(12);
    assertThat(browser.words("svg.graph .here")).contains("part-r-00001");
    browser.click(".folded summary");
    browser.seeWords(".folded table", "/warehouse/raw/clicks-0");
  }
}
