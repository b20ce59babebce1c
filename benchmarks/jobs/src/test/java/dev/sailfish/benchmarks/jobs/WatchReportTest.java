package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.jobs.watch.WatchRun;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchReportTest {
  private static WatchRun run(String watchers, int round, double master, double metaserver) {
    boolean listens = watchers.equals("50");
    return new WatchRun(
        watchers,
        round,
        20,
        master,
        metaserver,
        3,
        5,
        200 + round,
        40,
        listens ? 19 : 0,
        950,
        true);
  }

  private static WatchRun invalid(WatchRun run) {
    return new WatchRun(
        run.watchers(),
        run.round(),
        run.seconds(),
        run.masterPercent(),
        run.metaserverPercent(),
        run.resourceManagerPercent(),
        run.webPercent(),
        run.webRssMb(),
        run.webHeapMb(),
        0,
        0,
        false);
  }

  private final List<WatchRun> rounds =
      List.of(
          run(WatchRun.NO_WEB, 1, 5, 1),
          run("0", 1, 6, 1),
          run("50", 1, 6.5, 1.25),
          run("50", 2, 9.5, 1.5),
          run("0", 2, 8, 1),
          run(WatchRun.NO_WEB, 2, 7, 0.5));

  @Test
  void comparesWithinRounds() {
    JsonNode summary = new WatchReport(rounds, 50).json().path("summary");
    JsonNode cost = summary.path("clients_above_nobody");
    assertThat(cost.path("am_percent").asDouble()).isEqualTo(1);
    assertThat(cost.path("am_and_metaserver_percent").asDouble()).isEqualTo(1.38);
    assertThat(cost.path("rm_percent").asDouble()).isZero();
    assertThat(summary.at("/clients_above_no_web/am_percent").asDouble()).isEqualTo(2);
    assertThat(summary.at("/50/am_percent").asDouble()).isEqualTo(8);
    assertThat(summary.path("within_limit").asBoolean()).isTrue();
    assertThat(summary.path("largest_web_rss_mb").asDouble()).isEqualTo(202);
    assertThat(summary.path("least_events").asInt()).isEqualTo(19);
  }

  @Test
  void leavesOutARoundInWhichAClientHeardNothing() {
    WatchReport report =
        new WatchReport(List.of(rounds.get(0), rounds.get(1), invalid(rounds.get(2))), 50);
    JsonNode summary = report.json().path("summary");
    assertThat(summary.at("/clients_above_nobody/am_percent").asDouble()).isNaN();
    assertThat(summary.path("within_limit").asBoolean()).isFalse();
    assertThat(report.table()).contains("limit 2", "false");
  }
}
