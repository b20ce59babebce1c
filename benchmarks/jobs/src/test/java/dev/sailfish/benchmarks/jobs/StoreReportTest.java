package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreReportTest {
  private static StoreRun write(String contender, int round, Double mbS) {
    return new StoreRun(contender, "write", 2, round, mbS, null, mbS != null);
  }

  private final StoreReport report =
      new StoreReport(
          List.of(
              write("java", 1, 100.0),
              write("store", 1, 80.0),
              write("store", 2, null),
              write("java", 2, 300.0),
              new StoreRun("store", "stats", 1, 1, null, 5.0, true)),
          List.of("java", "store"),
          1,
          3);

  @Test
  void comparesMediansOfValidRunsWithTheFirstContender() {
    JsonNode line = report.json().path("summary").path("write 2");
    assertThat(line.path("java").asDouble()).isEqualTo(200);
    assertThat(line.path("java_ratio").asDouble()).isEqualTo(1);
    assertThat(line.path("store").asDouble()).isEqualTo(80);
    assertThat(line.path("store_ratio").asDouble()).isEqualTo(0.4);
    assertThat(report.table()).contains("0.400");
    assertThat(report.json().path("masters").asInt()).isEqualTo(3);
  }

  @Test
  void leavesOutWhoDidNotTakePart() {
    JsonNode line = report.json().path("summary").path("stats 1");
    assertThat(line.has("java")).isFalse();
    assertThat(line.path("store").asDouble()).isEqualTo(5);
  }

  @Test
  void aRunHasOneFigureOrIsNotValid() {
    JsonNode runs = report.json().path("runs");
    assertThat(runs.get(0).has("per_s")).isFalse();
    assertThat(runs.get(2).has("mb_s")).isFalse();
    assertThat(runs.get(2).path("valid").asBoolean()).isFalse();
    assertThat(runs.get(4).path("per_s").asDouble()).isEqualTo(5);
  }
}
