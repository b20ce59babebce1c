package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.array;
import static dev.sailfish.system.web.Json.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page of all jobs. */
@Tag("long")
class JobsPageTest extends InBrowser {
  private static final String ROW = "tr[data-key='%s'] [data-column='%s']";

  @Test
  void figuresAreThoseOfTheApi() {
    pages.go("/jobs");
    browser.size(1700, 1000);
    Map<String, Object> job = new Samples().skewedJob();
    browser.see(ROW.formatted(Samples.SKEWED, "appended"));
    for (String column : List.of("appended", "sorted", "reduced")) {
      assertThat(browser.value(ROW.formatted(Samples.SKEWED, column)))
          .as(column)
          .isEqualTo(String.valueOf(job.get(column + "Bytes")));
    }
    assertThat(browser.words(ROW.formatted(Samples.SKEWED, "maps"))).isEqualTo("192 / 192");
    assertThat(browser.words(ROW.formatted(Samples.SKEWED, "duration"))).isEqualTo("6 min 52 s");
    assertThat(browser.words(ROW.formatted(Samples.SKEWED, "verdict")))
        .isEqualTo(job.get("verdict"));
    assertThat(browser.words(ROW.formatted(Samples.FAILED, "state"))).isEqualTo("failed");
    assertThat(browser.script("return document.querySelector('time').title"))
        .asString()
        .endsWith(" UTC");
  }

  @Test
  void aNewJobShowsWithoutReload() {
    pages.go("/jobs");
    browser.see("tr[data-key='" + Samples.LIVE + "']");
    browser.until(() -> assertThat(pages.api().streams("jobs")).isEqualTo(1));
    browser.script("window.notReloaded = true");

    Map<String, Object> list = new Samples().jobs(14);
    List<Object> items = new ArrayList<>((List<?>) list.get("items"));
    items.add(0, with(new Samples().liveJob(0.1), "id", "job_1_43", "name", "one more"));
    pages.api().answer("/jobs", with(list, "items", items, "total", 15));

    browser.seeWords("tr[data-key='job_1_43']", "one more");
    assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
  }

  @Test
  void filtersLiveInTheAddress() {
    pages.go("/jobs");
    browser.see("tr[data-key]");
    browser.press("/");
    browser.press("clicks", Keys.TAB);
    browser.until(() -> assertThat(browser.address()).contains("text=clicks"));
    browser.script(
        """
        const select = [...document.querySelectorAll("select")].find((one) =>
          document.querySelector(`label[for=${one.id}]`).textContent === "State");
        select.value = "RUNNING";
        select.dispatchEvent(new Event("change", {bubbles: true}));
        """);
    browser.until(() -> assertThat(browser.address()).contains("text=clicks", "state=RUNNING"));
    browser.until(
        () ->
            assertThat(pages.api().requests())
                .anyMatch(asked -> asked.contains("text=clicks") && asked.contains("RUNNING")));

    pages.go("/jobs?text=nothing+like+it&user=ana");
    browser.see("tr[data-key]");
    assertThat(browser.script("return document.querySelector('input[type=search]').value"))
        .isEqualTo("nothing like it");
    assertThat(pages.api().requests()).anyMatch(asked -> asked.contains("user=ana"));
  }

  @Test
  void filtersThatFindNothingSaySo() {
    pages.api().answer("/jobs", with(new Samples().jobs(0), "total", 0));
    pages.go("/jobs?text=x");
    browser.seeWords(".state", "No job matches these filters.");
    pages.go("/jobs");
    browser.seeWords(".state", "No job has run yet.");
  }

  @Test
  void columnsSortByTheirButtons() {
    pages.go("/jobs");
    browser.see("th[aria-sort=descending]");
    browser.script(
        """
        [...document.querySelectorAll("th button")].find((one) => one.textContent === "Appended")
          .click();
        """);
    browser.until(() -> assertThat(browser.address()).contains("sort=-appended"));
    assertThat(browser.words("th[aria-sort=descending]")).isEqualTo("Appended");
    browser.until(() -> assertThat(pages.api().requests()).contains("/jobs?sort=-appended"));
  }

  @Test
  void aThousandJobsArePages() {
    pages.api().answer("/jobs", new Samples().jobs(1000));
    pages.go("/jobs");
    browser.seeWords(".pager", "1–50 of 1000");
    assertThat(browser.all("tbody tr")).hasSize(50);
    browser.script("document.querySelector('.pager a[href*=\"page=1\"]').click()");
    browser.until(() -> assertThat(browser.address()).contains("page=1"));
    browser.until(() -> assertThat(pages.api().requests()).contains("/jobs?page=1"));
  }

  @Test
  void arrowKeysGoFromJobToJob() {
    pages.go("/jobs");
    browser.see("tr[data-key]");
    browser.script("document.querySelector('tbody tr a').focus()");
    browser.press(Keys.ARROW_DOWN);
    assertThat(browser.focused()).isEqualTo("a daily sessions");
    browser.press(Keys.END, Keys.HOME, Keys.ARROW_DOWN, Keys.ENTER);
    browser.seeWords("h1", "daily sessions");
    assertThat(browser.focused()).startsWith("h1");
    assertThat(browser.title()).isEqualTo("daily sessions · Sailfish");
  }

  @Test
  void focusStaysWhileRowsMove() {
    pages.go("/jobs");
    browser.see("tr[data-key]");
    browser.until(() -> assertThat(pages.api().streams("jobs")).isEqualTo(1));
    browser.script("document.querySelector('tr[data-key=\"" + Samples.SKEWED + "\"] a').focus()");
    Map<String, Object> list = new Samples().jobs(14);
    List<Object> items = new ArrayList<>((List<?>) list.get("items"));
    items.addAll(0, array(3, i -> with(new Samples().liveJob(0.1), "id", "job_9_" + i)));
    pages.api().answer("/jobs", with(list, "items", items));
    browser.see("tr[data-key='job_9_2']");
    assertThat(browser.focused()).isEqualTo("a daily sessions");
  }
}
