package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * 512 I-files, more than 4096 reduce works, 200 servers: shown within a second, without a stall.
 */
@Tag("long")
class LargePageTest extends InBrowser {
  private static final int FIRST_VIEW_MS = 1_000;
  private static final int STALL_MS = 250;
  private static final int DRAWN_ROWS = 120;

  /**
   * When the first row was there, in ms since the page was asked for; not of the very first page.
   */
  private long firstViewMs(String path) {
    pages.go(path);
    browser.see("tbody tr[data-key]");
    pages.go(path);
    browser.script(
        """
        window.stallMs = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            window.stallMs = Math.max(window.stallMs, entry.duration);
          }
        }).observe({type: "longtask"});
        const look = () => {
          if (document.querySelector("tbody tr[data-key]") === null) {
            requestAnimationFrame(look);
          } else {
            window.firstViewMs = Math.round(performance.now());
          }
        };
        look();
        """);
    Long seen = browser.get(() -> (Long) browser.script("return window.firstViewMs ?? null"));
    browser.drawn();
    return seen;
  }

  private void scrollsWithoutAStall(String scroller) {
    browser.script(
        """
        window.stallMs = 0;
        window.scrolled = false;
        const at = document.querySelector(arguments[0]);
        let step = 0;
        const next = () => {
          at.scrollTop = at.scrollHeight * step / 60;
          step += 1;
          if (step <= 60) {
            requestAnimationFrame(next);
          } else {
            window.scrolled = true;
          }
        };
        next();
        """,
        scroller);
    browser.until(() -> assertThat(browser.script("return window.scrolled")).isEqualTo(true));
    browser.drawn();
    assertThat(((Number) browser.script("return window.stallMs")).longValue())
        .as("the longest stall while %s scrolls", scroller)
        .isLessThan(STALL_MS);
  }

  @Test
  void aPlanOfFourThousandWorks() {
    Map<String, Object> plan = new SamplePlans(System.currentTimeMillis()).plan(4_800);
    int works = ((List<?>) plan.get("works")).size();
    assertThat(works).isGreaterThan(4_096);
    pages.api().answer("/jobs/" + Samples.SKEWED + "/plan", plan);
    long seen = firstViewMs("/jobs/" + Samples.SKEWED + "/plan");
    assertThat(seen).as("first view in ms").isLessThan(FIRST_VIEW_MS);
    assertThat(browser.all("table.fixed tbody tr").size()).isLessThan(DRAWN_ROWS);
    scrollsWithoutAStall("[aria-label='Reduce works']");
    browser.see("[aria-label='Reduce works'] tr[data-key='" + (works - 1) + "']");
  }

  @Test
  void fiveHundredIfiles() {
    Map<String, Object> ifiles = new SamplePlans(System.currentTimeMillis()).ifiles(512, false);
    pages.api().answer("/jobs/" + Samples.SKEWED + "/ifiles", ifiles);
    long seen = firstViewMs("/jobs/" + Samples.SKEWED + "/ifiles");
    assertThat(seen).as("first view in ms").isLessThan(FIRST_VIEW_MS);
    scrollsWithoutAStall("[aria-label='I-files']");
    browser.see("tr[data-key='511']");
  }

  @Test
  void twoHundredServers() {
    Map<String, Object> cluster = new SampleCluster(System.currentTimeMillis()).cluster(196);
    pages.api().answer("/cluster", cluster);
    long seen = firstViewMs("/cluster");
    assertThat(seen).as("first view in ms").isLessThan(FIRST_VIEW_MS);
    assertThat(browser.all("[aria-label=Servers] tbody tr")).hasSize(201);
  }

  @Test
  void fiftyOfAThousandJobs() {
    pages.api().answer("/jobs", new Samples().jobs(1000));
    assertThat(firstViewMs("/jobs")).as("first view in ms").isLessThan(FIRST_VIEW_MS);
  }
}
