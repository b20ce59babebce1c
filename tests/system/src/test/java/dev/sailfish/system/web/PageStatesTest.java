package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.with;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Loading, failing, stale, and not logged in. */
@Tag("long")
class PageStatesTest {
  private static Pages pages;

  private Browser browser;

  @BeforeAll
  static void open() throws Exception {
    pages = Pages.open();
  }

  @AfterAll
  static void close() {
    pages.close();
  }

  @BeforeEach
  void begin() {
    pages.begin();
    browser = pages.browser();
  }

  @Test
  void aPanelSaysThatItLoads() {
    pages.api().hold("/cluster");
    pages.go("/cluster");
    browser.see(".panel[data-state=loading] .skeleton");
    assertThat(browser.words(".panel[data-state=loading] .state")).contains("Loading");
    pages.api().release("/cluster");
    browser.see("tr[data-key]");
    assertThat(browser.all(".panel[data-state=loading]")).isEmpty();
  }

  @Test
  void anErrorIsSaidAndTriedAgain() {
    pages.api().fail("/cluster", 500, "Internal Server Error", "The metaserver has not answered.");
    pages.go("/cluster");
    browser.seeWords(".failure", "The metaserver has not answered.");
    pages.api().answer("/cluster", new SampleCluster(System.currentTimeMillis()).cluster(2));
    browser.click(".failure button");
    browser.see("tr[data-key]");
    assertThat(browser.all(".failure")).isEmpty();
  }

  @Test
  void whatIsKnownStaysWhileTheProcessIsGone() {
    pages.go("/jobs");
    browser.see("tr[data-key]");
    browser.until(() -> assertThat(pages.api().streams("jobs")).isEqualTo(1));
    pages.api().silence(true);
    browser.seeWords(".connection", "no connection, trying again");
    browser.seeWords(".heard", "last heard");
    assertThat(browser.all("tr[data-key]")).as("rows of before").isNotEmpty();

    pages.api().silence(false);
    pages.api().answer("/jobs", with(new Samples().jobs(14), "total", 14));
    browser.until(() -> assertThat(browser.words(".connection")).isEqualTo("live"));
    browser.until(() -> assertThat(browser.words(".heard")).isEmpty());
  }

  @Test
  void aSilentSourceIsStaleThoughTheProcessAnswers() {
    long then = System.currentTimeMillis() - 12_000;
    pages.api().answer("/cluster", with(new SampleCluster(then).cluster(3), "heardMs", then));
    pages.go("/cluster");
    browser.seeWords(".stale .heard", "last heard 1");
    assertThat(browser.words(".stale .heard")).matches("last heard 1\\d s ago");
  }

  @Test
  void aTokenIsAskedForAndTaken() {
    pages.api().wantToken("open-sesame");
    pages.go("/jobs/" + Samples.SKEWED);
    browser.seeWords("h1", "Log in");
    assertThat(browser.focused()).startsWith("input token");
    browser.press("wrong", Keys.ENTER);
    browser.seeWords("#token-fault", "That is not the token.");
    browser.press("open-sesame", Keys.ENTER);
    browser.seeWords("h1", "daily sessions");
    assertThat(browser.address()).endsWith("/jobs/" + Samples.SKEWED);
  }

  @Test
  void anUnknownPathHasAClearPage() {
    pages.go("/nothing/here");
    browser.seeWords("h1", "No such page");
    browser.click(".missing a");
    browser.see("tr[data-key]");
  }
}
