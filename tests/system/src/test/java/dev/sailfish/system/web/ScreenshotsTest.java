package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pictures of docs/WEB.md. {@code -Dsailfish.docs.write=true} writes them anew; without, they
 * are made in {@code target}, and those of the page are only looked for.
 */
@Tag("long")
class ScreenshotsTest {
  private static final Path KEPT = SailfishCommand.projectRoot().resolve("docs/images/web");
  private static final Path MADE =
      Boolean.getBoolean("sailfish.docs.write") ? KEPT : Path.of("target/web-images");
  private static final int WIDTH = 1440;
  private static final int SMALLEST = 20_000;

  private static Pages pages;

  @BeforeAll
  static void open() throws Exception {
    pages = Pages.open();
  }

  @AfterAll
  static void close() {
    pages.close();
  }

  /** Pictures by name: the path of the page, and what is there when it is complete. */
  private static Map<String, String[]> pictures() {
    String skewed = "/jobs/" + Samples.SKEWED;
    Map<String, String[]> pictures = new LinkedHashMap<>();
    pictures.put("jobs", new String[] {"/jobs", "tr[data-key]"});
    pictures.put("job-live", new String[] {"/jobs/" + Samples.LIVE, ".uplot canvas"});
    pictures.put("job", new String[] {skewed, ".uplot canvas"});
    pictures.put("job-failed", new String[] {"/jobs/" + Samples.FAILED, ".uplot canvas"});
    pictures.put("ifiles", new String[] {skewed + "/ifiles?partition=17", ".splits"});
    pictures.put(
        "plan", new String[] {skewed + "/plan?work=" + SamplePlans.HEAVY_WORK, "tr.chosen"});
    pictures.put("cluster", new String[] {"/cluster", "tr[data-key]"});
    pictures.put("store", new String[] {"/store", "tr[data-key]"});
    pictures.put(
        "files",
        new String[] {
          "/store/files?path=/warehouse/sessions&file=/warehouse/sessions/part-r-00000", "svg.graph"
        });
    return pictures;
  }

  @Test
  void eachPageHasAPictureInLightAndDark() throws Exception {
    for (Map.Entry<String, String[]> picture : pictures().entrySet()) {
      for (boolean dark : new boolean[] {false, true}) {
        String name = picture.getKey() + (dark ? "-dark" : "") + ".png";
        pages.begin();
        pages.browser().dark(dark);
        pages.go(picture.getValue()[0]);
        pages.browser().see(picture.getValue()[1]);
        pages.browser().picture(MADE.resolve(name), WIDTH);
        assertThat(Files.size(MADE.resolve(name))).as(name).isGreaterThan(SMALLEST);
        assertThat(KEPT.resolve(name)).as("made with -Dsailfish.docs.write=true").exists();
      }
    }
  }
}
