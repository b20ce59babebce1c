package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LossReportTest {
  private static final LossReport REPORT =
      report(
          undisturbed("stock", 10),
          disturbed("stock", 20, 2, "output of maps 0 4"),
          undisturbed("sailfish", 8),
          disturbed("sailfish", 10, 1, "chunkserver-1"),
          undisturbed("sailfish", 10),
          disturbed("sailfish", 12.5, 4, "chunkserver-2"),
          undisturbed("stock", 20),
          disturbed("stock", 55, 3, "output of maps 0 4"));

  private static LossReport report(LossRun... runs) {
    return new LossReport(List.of(runs), Map.of());
  }

  private static LossRun undisturbed(String shuffle, double wall) {
    return new LossRun(false, "nothing", run(shuffle, wall, 0, true));
  }

  private static LossRun disturbed(String shuffle, double wall, int again, String lost) {
    return new LossRun(true, lost, run(shuffle, wall, again, lost != null));
  }

  private static BenchRun run(String shuffle, double wall, int again, boolean valid) {
    return new BenchRun(
        "sort",
        shuffle,
        1,
        new BenchRun.Size(100, 8, 4, "none"),
        wall,
        4,
        wall / 4,
        2 * wall,
        1,
        1,
        0,
        1,
        0,
        0,
        100,
        32,
        new BenchRun.Chunks(4, 0, 0, 16),
        new BenchRun.Again(again, again / 2),
        1_000_000,
        valid);
  }

  @Test
  void jsonSaysWhatARunHasLostAndWhatRanAgain() {
    JsonNode runs = REPORT.json().path("runs");
    assertThat(runs).hasSize(8);
    assertThat(runs.get(0).toString())
        .startsWith("{\"disturbed\":false,\"lost\":\"nothing\",\"workload\":\"sort\"")
        .contains("\"wall_s\":10.0", "\"maps_again\":0,\"reduces_again\":0");
    assertThat(runs.get(5).toString())
        .startsWith("{\"disturbed\":true,\"lost\":\"chunkserver-2\"")
        .contains("\"mb\":100", "\"chunks\":4", "\"maps_again\":4,\"reduces_again\":2");
  }

  @Test
  void summaryComparesMediansOfEachContenderWithItself() {
    JsonNode summary = REPORT.json().path("summary");
    assertThat(summary.at("/stock/undisturbed/wall_s").asDouble()).isEqualTo(15);
    assertThat(summary.at("/stock/disturbed/wall_s").asDouble()).isEqualTo(37.5);
    assertThat(summary.at("/stock/disturbed/maps_again").asDouble()).isEqualTo(2.5);
    assertThat(summary.at("/stock/ratio/wall_s").asDouble()).isEqualTo(2.5);
    assertThat(summary.at("/sailfish/ratio/wall_s").asDouble()).isEqualTo(1.25);
    assertThat(summary.at("/sailfish/ratio/map_s").asDouble()).isEqualTo(1);
  }

  @Test
  void tableHasALinePerRunMediansAndTheRatios() {
    List<String> lines = REPORT.table().lines().toList();
    assertThat(lines).hasSize(1 + 8 + 4 + 2);
    assertThat(lines.get(0)).contains("disturbed", "maps again", "lost");
    assertThat(lines.get(2)).contains("output of maps 0 4");
    assertThat(lines.subList(9, 13)).allMatch(line -> line.contains("median"));
    assertThat(lines.subList(13, 15))
        .containsExactly(
            "stock, disturbed / undisturbed: wall 2.50, CPU 2.50, reduce phase 2.50",
            "sailfish, disturbed / undisturbed: wall 1.25, CPU 1.25, reduce phase 1.25");
  }

  @Test
  void aRunThatLostNothingInTimeCountsForNothing() {
    LossReport report = report(undisturbed("sailfish", 8), disturbed("sailfish", 10, 0, null));
    assertThat(report.allValid()).isFalse();
    assertThat(report.json().at("/summary/sailfish").has("ratio")).isFalse();
    assertThat(report.table()).contains("false").doesNotContain(" / ");
    assertThat(REPORT.allValid()).isTrue();
    assertThat(report().allValid()).isFalse();
  }

  @Test
  void namesTheSettingsThatWereNotItsOwn() {
    LossReport report =
        new LossReport(List.of(undisturbed("stock", 1)), Map.of("a.key", "its value"));
    assertThat(report.json().at("/settings/a.key").asText()).isEqualTo("its value");
    assertThat(REPORT.json().has("settings")).isFalse();
  }
}
