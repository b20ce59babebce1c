package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.KeyKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.system.web.Browser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that share a cluster and a browser, class by class. */
@Timeout(400)
abstract class LiveTest {
  /** How long a job, or a daemon, may take for its next step. */
  static final Duration STEP = Duration.ofSeconds(90);

  @TempDir static Path temporary;
  static LiveCluster cluster;
  static Browser browser;

  /** Starts both. */
  static void open(SailfishOptions options) {
    cluster = null;
    browser = null;
    cluster = LiveCluster.start(temporary, options);
    browser = Browser.open();
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void begin() {
    browser.open("about:blank");
    browser.complaints();
    browser.dark(false);
    browser.size(1700, 1000);
  }

  /** Opens a page of the web process. */
  static void go(String path) {
    browser.open(cluster.web().web() + path);
  }

  /** Waits until nothing of the page loads, then has axe look at it, in light and dark. */
  static void shouldBeAccessible() throws Exception {
    browser.until(() -> assertThat(browser.all(".panel[data-state=loading]")).isEmpty());
    for (boolean dark : new boolean[] {false, true}) {
      browser.dark(dark);
      browser.drawn();
      List<String> faults = browser.accessibilityFaults();
      assertThat(faults).as("%s, dark: %s", browser.address(), dark).isEmpty();
    }
    browser.dark(false);
  }

  /** Waits until all jobs have ended and are kept, on any page of the web process. */
  static void awaitKept() {
    browser.until(
        STEP,
        () ->
            assertThat(browser.script("return fetch('/metrics').then((all) => all.text());"))
                .asString()
                .containsPattern("(?m)^sailfish_web_jobs_living 0\\.0$"));
  }

  /**
   * A random job of many text keys, in order, whose reducers read every record: always the same.
   */
  static RandomJobSpec spec(Predicate<RandomJobSpec> wanted) {
    for (long seed = 0; ; seed++) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
      boolean plain =
          !spec.combined()
              && !spec.descending()
              && !spec.grouped()
              && !spec.habits().skewed()
              && spec.habits().patience() == 0;
      boolean large =
          spec.keyKind() == KeyKind.TEXT
              && spec.cardinality() > 1000
              && spec.recordsPerMap() > 1000
              && spec.largestValue() == 200;
      if (plain && large && wanted.test(spec)) {
        return spec;
      }
    }
  }
}
