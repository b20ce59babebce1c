package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** A job's I-files, and where the bytes of one lie. */
@Tag("long")
class IfilesPageTest extends InBrowser {
  private static final String PAGE = "/jobs/" + Samples.SKEWED + "/ifiles";

  @Test
  void figuresAreThoseOfTheApi() {
    pages.go(PAGE);
    browser.see("tr[data-key='3']");
    List<?> items = (List<?>) new SamplePlans(0).ifiles(64, false).get("items");
    Map<?, ?> third = (Map<?, ?>) items.get(3);
    for (String figure : List.of("bytes", "storedBytes", "records", "chunks", "open", "lost")) {
      assertThat(browser.value("tr[data-key='3'] [data-column=" + figure + "]"))
          .as(figure)
          .isEqualTo(String.valueOf(third.get(figure)));
    }
    assertThat(browser.words("tr[data-key='3'] [data-column=racks]")).isEqualTo("/rack-1, /rack-2");
    assertThat(browser.words(".panel .note")).contains("64 I-files", "The largest is 17");
  }

  @Test
  void aChosenOneShowsItsBordersByKeyboard() {
    pages.go(PAGE);
    browser.see("tr[data-key='0'] button");
    browser.script("document.querySelector('tr[data-key=\"0\"] button').focus()");
    for (int i = 0; i < 17; i++) {
      browser.press(Keys.ARROW_DOWN);
    }
    assertThat(browser.focused()).isEqualTo("button 17");
    browser.press(Keys.ENTER);
    browser.until(() -> assertThat(browser.address()).endsWith("?partition=17"));
    browser.seeWords(".splits", "user:0 begins work " + SamplePlans.HEAVY_WORK);
    assertThat(browser.all(".splits a")).hasSize(8);
    assertThat(browser.focused()).as("focus stays where it was").isEqualTo("button 17");
    browser.click(".splits a[href$='work=" + SamplePlans.HEAVY_WORK + "']");
    browser.seeWords("tr.chosen th", String.valueOf(SamplePlans.HEAVY_WORK));
  }

  @Test
  void theHistogramIsATableToo() {
    pages.go(PAGE + "?partition=17");
    browser.click(".folded summary");
    browser.see(".folded tr[data-key='0']");
    assertThat(browser.words(".folded tr[data-key='2'] [data-column=key]"))
        .isEqualTo("user:016382");
    assertThat(browser.all(".folded tbody tr").size()).as("rows that are drawn").isLessThan(60);
  }

  @Test
  void aPartitionThatIsNotThereSaysSo() {
    pages.go(PAGE + "?partition=99999");
    browser.seeWords(".failure", "Not Found");
    pages.go(PAGE + "?partition=x");
    browser.seeWords(".state.empty", "Choose an I-file");
  }
}
