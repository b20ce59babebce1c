package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of a job: one that runs, one with skewed keys, one that has failed. */
@Tag("long")
class JobPageTest extends InBrowser {
  private static final String FIGURE = "[data-figure='%s']";

  @Test
  void figuresAreThoseOfTheApi() {
    Map<String, Object> job = new Samples().skewedJob();
    pages.go("/jobs/" + Samples.SKEWED);
    browser.see(FIGURE.formatted("appendedBytes"));
    for (String figure :
        List.of("mapsDone", "appendedBytes", "sortedBytes", "reducedBytes", "reducesDone")) {
      assertThat(browser.value(FIGURE.formatted(figure)))
          .as(figure)
          .isEqualTo(String.valueOf(job.get(figure)));
    }
    assertThat(browser.value(FIGURE.formatted("wallMs"))).isEqualTo("412000");
    assertThat(browser.value(FIGURE.formatted("taskCpuMs"))).isEqualTo("6120000");
    assertThat(browser.words(".verdict")).contains((String) job.get("verdict"));
    assertThat(browser.words("[data-phase=maps] .number")).isEqualTo("3 min 38 s");
    assertThat(browser.words("[data-phase=plan] .number")).isEqualTo("1.4 s");
    assertThat(browser.words("[data-cost='Time'] .change")).isEqualTo("−40 %");
    assertThat(browser.words("[data-cost='CPU of tasks'] .change")).isEqualTo("−38 %");
  }

  @Test
  void theTimeLineSaysWhatOverlapped() {
    pages.go("/jobs/" + Samples.SKEWED);
    browser.seeWords(".timeline", "Sorts");
    assertThat(browser.words(".table-plain + .note"))
        .contains("Sorts ran 3 min 15 s (91 %) beside maps");
  }

  @Test
  void stragglersKeysAndCountersAreThere() {
    pages.go("/jobs/" + Samples.SKEWED);
    browser.seeWords("tr[data-key='task_1795728000000_0041_r_000019 0']", "which cannot be split");
    assertThat(browser.words("tr[data-key='17 user:0'] [data-column=share]")).isEqualTo("11 %");
    String counter = "tr[data-key='Sailfish READ_BYTES'] [data-column=";
    assertThat(browser.words(counter + "stock]")).isEqualTo("REDUCE_SHUFFLE_BYTES");
    assertThat(browser.value(counter + "total]"))
        .isEqualTo(String.valueOf(new Samples().skewedJob().get("reducedBytes")));
  }

  @Test
  void countersAreFoundByStocksNames() {
    pages.go("/jobs/" + Samples.SKEWED + "?counter=shuffle_bytes");
    browser.see("tr[data-key='Sailfish READ_BYTES']");
    browser.until(() -> assertThat(browser.all("td[data-column=stock]")).hasSize(2));
  }

  @Test
  void whatHappensShowsWithoutReload() {
    pages.go("/jobs/" + Samples.LIVE);
    browser.seeWords("[data-figure=mapsDone]", "178");
    assertThat(browser.words("[data-phase=maps] .number")).endsWith("so far");
    browser.until(() -> assertThat(pages.api().streams("job:" + Samples.LIVE)).isEqualTo(1));

    pages.api().answer("/jobs/" + Samples.LIVE, new Samples().liveJob(0.75));
    browser.until(() -> assertThat(browser.value("[data-figure=mapsDone]")).isEqualTo("216"));

    Map<String, Object> ended =
        with(new Samples().skewedJob(), "id", Samples.LIVE, "name", "join of clicks and users");
    pages.api().answer("/jobs/" + Samples.LIVE, ended);
    browser.seeWords(".facts .badge", "succeeded");
    browser.until(
        () -> assertThat(browser.words("[data-phase=maps] .number")).isEqualTo("3 min 38 s"));
  }

  @Test
  void aFailedJobSaysWhyAndWhatWasLost() {
    pages.go("/jobs/" + Samples.FAILED);
    browser.seeWords(".verdict", "Reducer 3 failed four times");
    assertThat(browser.words(".verdict .hidden-text")).isEqualTo("bad");
    assertThat(browser.words(".silent")).contains("history server", "connection refused");
    browser.seeWords("[aria-label='What happened']", "task_1795728000000_0040_m_000018");
    browser.click("a[href$='/ifiles?state=lost']");
    browser.seeWords("h1", "INSERT OVERWRITE");
    browser.until(() -> assertThat(browser.all("tr.row-bad")).isNotEmpty());
    assertThat(browser.all("tr[data-key]")).hasSameSizeAs(browser.all("tr.row-bad"));
  }

  @Test
  void linksLeadToYarnAndTheHistoryServer() {
    pages.go("/jobs/" + Samples.SKEWED);
    browser.see("a.outside");
    assertThat(browser.all("a.outside[href^='http://rm:8088/cluster/app/application_']"))
        .hasSize(1);
    assertThat(browser.all("a.outside[href^='http://history:19888/jobhistory/job/']")).hasSize(1);
  }

  @Test
  void anAddressThatIsNoneIsNoLink() {
    Map<String, Object> links = Json.object("yarn", "javascript:alert(1)", "history", null);
    pages.api().answer("/jobs/" + Samples.SKEWED, with(new Samples().skewedJob(), "links", links));
    pages.go("/jobs/" + Samples.SKEWED);
    browser.see(".facts .badge");
    assertThat(browser.all("a.outside")).isEmpty();
  }

  @Test
  void namesAreNeverMarkup() {
    String name = "<img src=x onerror=\"document.title='run'\"><b>bold</b>";
    pages.api().answer("/jobs/" + Samples.SKEWED, with(new Samples().skewedJob(), "name", name));
    pages.go("/jobs/" + Samples.SKEWED);
    browser.until(() -> assertThat(browser.words("h1")).isEqualTo(name));
    assertThat(browser.all("h1 *")).isEmpty();
  }

  @Test
  void anIdThatIsNoneHasAClearPage() {
    for (String path : List.of("/jobs/job_1_1", "/jobs/job_1_1/plan", "/jobs/nonsense/ifiles")) {
      pages.go(path);
      browser.seeWords("h1", "No such job");
      assertThat(browser.words(".missing")).contains("or it is not yours to see");
      assertThat(browser.title()).startsWith("No such job");
    }
  }

  @Test
  void theWayFromPageToPageGoesBackAndForth() {
    pages.go("/jobs");
    browser.click("tr[data-key='" + Samples.SKEWED + "'] a");
    browser.seeWords("h1", "daily sessions");
    browser.click(".tabs a[href$=plan]");
    browser.see("[data-figure=works]");
    assertThat(browser.words(".tabs [aria-current=page]")).isEqualTo("Plan");
    browser.script("history.back()");
    browser.see("[data-phase=maps]");
    browser.script("history.back()");
    browser.see("tr[data-key='" + Samples.FAILED + "']");
  }
}
