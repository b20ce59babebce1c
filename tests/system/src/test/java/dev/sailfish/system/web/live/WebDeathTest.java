package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.StockOutput;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The web process is killed while jobs run: no job is hurt, and all of them are shown again. */
@Tag("long")
class WebDeathTest extends LiveTest {
  private static final Map<String, String> SLOW =
      Map.of(
          RandomJobSpec.MAP_MS,
          "6000",
          RandomJobSpec.REDUCE_MS,
          "3000",
          RandomJobSpec.SEVERAL_PARTITIONS,
          "true",
          "sailfish.reduce.work.target",
          "64k");

  @BeforeAll
  static void start() {
    open(SailfishOptions.DEFAULT);
  }

  private static RandomJobSpec spec() {
    return spec(one -> one.maps() == 5 && one.reduces() == 2 && !one.hotKey());
  }

  @Test
  void aJobThatEndsMeanwhileIsInTheHistory() throws Exception {
    LiveJob job = cluster.start("unseen", spec(), ReduceWork.AUTO, SLOW);
    awaitMaps(job);
    cluster.cluster().kill(cluster.web());
    browser.seeWords(".connection", "no connection, trying again");
    job.awaitSuccess();
    outputIsRight(job);

    cluster.cluster().startAgain(cluster.web());
    browser.until(STEP, () -> assertThat(browser.words(".connection")).isEqualTo("live"));
    browser.until(STEP, () -> assertThat(browser.words(".facts .badge")).isEqualTo("succeeded"));
    awaitKept();
    HadoopHistory history = job.inHistory();
    browser.until(
        STEP,
        () ->
            assertThat(browser.value("[data-figure=reducesDone]"))
                .isEqualTo("" + history.info().getSucceededReduces()));
    assertThat(browser.value("[data-figure=reducedBytes]"))
        .isEqualTo("" + history.total("REDUCE_SHUFFLE_BYTES"));
  }

  /** Progress of before is there, and the plan is told again. */
  @Test
  void aJobThatRunsOnIsShownWithItsPlan() throws Exception {
    LiveJob job = cluster.start("again", spec(), ReduceWork.AUTO, SLOW);
    awaitMaps(job);
    cluster.cluster().kill(cluster.web());
    cluster.cluster().startAgain(cluster.web());
    browser.until(STEP, () -> assertThat(browser.words(".connection")).isEqualTo("live"));
    go(job.page() + "/plan");
    browser.until(
        STEP,
        () -> assertThat(browser.all("[aria-label='Reduce works'] tr[data-key]")).isNotEmpty());
    job.awaitSuccess();
    outputIsRight(job);
    awaitKept();
    go(job.page() + "/plan");
    browser.until(
        STEP,
        () ->
            assertThat(browser.value("[data-figure=works]"))
                .isEqualTo("" + job.inHistory().info().getSucceededReduces()));
    assertThat(browser.words(".reasons")).contains("64.0 KiB");
  }

  private static void awaitMaps(LiveJob job) {
    go(job.page());
    browser.until(
        STEP, () -> assertThat(browser.value("[data-figure=mapsDone]")).isIn("2", "3", "4"));
    assertThat(job.runs()).isTrue();
  }

  private static void outputIsRight(LiveJob job) throws Exception {
    assertThat(String.join("", OutputFiles.read(job.output()).values()))
        .isEqualTo(
            String.join(
                "", StockOutput.of(spec(), temporary.resolve("stock-" + job.id())).values()));
  }
}
