package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;

/** Each page by keyboard, for screen readers, in light and dark, and on a narrow window. */
@Tag("long")
class PageLayoutTest {
  private static final int NARROW = 360;
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

  static List<String> paths() {
    return List.of(
        "/jobs",
        "/jobs/" + Samples.LIVE,
        "/jobs/" + Samples.SKEWED,
        "/jobs/" + Samples.FAILED,
        "/jobs/" + Samples.SKEWED + "/ifiles?partition=17",
        "/jobs/" + Samples.SKEWED + "/plan",
        "/jobs/job_1_1",
        "/cluster",
        "/store",
        "/store/files?path=/warehouse/sessions&file=/warehouse/sessions/part-r-00000",
        "/nothing");
  }

  private void see(String path) {
    pages.go(path);
    browser.see("h1");
    browser.until(() -> assertThat(browser.all("[data-state=loading]")).isEmpty());
    if (path.startsWith("/jobs/job_17")) {
      browser.see(path.contains("/plan") ? "tr[data-key]" : ".uplot canvas");
    }
    browser.drawn();
  }

  @ParameterizedTest
  @MethodSource("paths")
  void accessibilityHasNoFaultInLightAndDark(String path) throws Exception {
    for (boolean dark : new boolean[] {false, true}) {
      browser.dark(dark);
      see(path);
      assertThat(browser.accessibilityFaults()).as("dark: %s", dark).isEmpty();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("paths")
  void everythingIsReachedByKeyboard(String path) {
    see(path);
    assertThat(browser.unreachable()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("paths")
  void aNarrowWindowShowsAllWithoutScrollingSideways(String path) throws Exception {
    browser.size(NARROW, 800);
    see(path);
    assertThat(browser.script("return document.documentElement.scrollWidth"))
        .isEqualTo((long) NARROW);
    assertThat(browser.accessibilityFaults()).isEmpty();
  }

  @Test
  void theFirstTabSkipsToTheContent() {
    see("/jobs");
    browser.press(Keys.TAB);
    assertThat(browser.focused()).isEqualTo("a Skip to the content");
    browser.press(Keys.ENTER);
    assertThat(browser.focused()).startsWith("main");
    browser.see("tr[data-key]");
  }

  @Test
  void keysLeadToThePages() {
    see("/jobs");
    browser.press("g", "c");
    browser.seeWords("h1", "Cluster");
    browser.press("g", "s");
    browser.seeWords("h1", "Store");
    browser.press("?");
    browser.see("dialog[open]");
    browser.press(Keys.ESCAPE);
    browser.until(() -> assertThat(browser.all("dialog[open]")).isEmpty());
    browser.press("g", "j");
    browser.seeWords("h1", "Jobs");
  }

  @Test
  void theThemeIsTheSystemsUntilOneIsChosenAndThenKept() {
    browser.dark(true);
    see("/jobs");
    String ground = "return getComputedStyle(document.body).backgroundColor";
    Object dark = browser.script(ground);
    browser.dark(false);
    Object light = browser.script(ground);
    assertThat(dark).isNotEqualTo(light);

    browser.press("t", "t");
    assertThat(browser.words(".theme")).endsWith("dark");
    assertThat(browser.script(ground)).isEqualTo(dark);
    see("/cluster");
    assertThat(browser.script(ground)).isEqualTo(dark);
    browser.press("t");
    assertThat(browser.words(".theme")).endsWith("auto");
    assertThat(browser.script(ground)).isEqualTo(light);
  }

  @Test
  void everyTableHasACaptionAndScopes() {
    for (String path : paths()) {
      see(path);
      assertThat(
              browser.script("return document.querySelectorAll('table:not(:has(caption))').length"))
          .as(path)
          .isEqualTo(0L);
      assertThat(browser.script("return document.querySelectorAll('th:not([scope])').length"))
          .as(path)
          .isEqualTo(0L);
      assertThat(browser.script("return document.querySelectorAll('h1').length"))
          .as(path)
          .isEqualTo(1L);
    }
  }
}
