package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A job's reduce work: planned, actual, and why. */
@Tag("long")
class PlanPageTest extends InBrowser {
  private static final String PAGE = "/jobs/" + Samples.SKEWED + "/plan";

  @Test
  void figuresAreThoseOfTheApi() {
    pages.go(PAGE + "?work=" + SamplePlans.HEAVY_WORK);
    browser.see("tr.chosen");
    Map<String, Object> plan = new SamplePlans(0).plan(64);
    Map<?, ?> heavy = (Map<?, ?>) ((List<?>) plan.get("works")).get(SamplePlans.HEAVY_WORK);
    for (String figure :
        List.of("plannedBytes", "mostBytes", "actualBytes", "fetchedBytes", "actualRecords")) {
      assertThat(browser.value("tr.chosen [data-column=" + figure + "]"))
          .as(figure)
          .isEqualTo(String.valueOf(heavy.get(figure)));
    }
    assertThat(browser.words("tr.chosen [data-column=elapsedMs]")).isEqualTo("2 min 43 s");
    assertThat(browser.value("[data-figure=works]")).isEqualTo("64");
    assertThat(browser.value("[data-figure=split]")).isEqualTo("1");
    assertThat(browser.value("[data-figure=together]")).isEqualTo("8");
    assertThat(browser.words(".reasons")).contains((String) plan.get("targetReason"), "540 MiB");
    browser.seeWords("tr[data-key^='44 ']", "fewer than four keys");
  }

  @Test
  void filtersShowWhatStandsOut() {
    pages.go(PAGE + "?show=over");
    browser.until(() -> assertThat(browser.all("tr[data-key='19']")).hasSize(1));
    assertThat(browser.all("table.fixed tbody tr[data-key]")).hasSize(1);
    pages.go(PAGE + "?show=pieces");
    browser.until(() -> assertThat(browser.all("table.fixed tbody tr[data-key]")).hasSize(9));
  }

  @Test
  void beforeThereIsAPlanThePageSaysWhen() {
    pages.go("/jobs/" + Samples.LIVE + "/plan");
    browser.seeWords(".state.empty", "it is made when all maps are done");
    assertThat(browser.words(".reasons")).contains("asked for by sailfish.reduce.work");
  }
}
