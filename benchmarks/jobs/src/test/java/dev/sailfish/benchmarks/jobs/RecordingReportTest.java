package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.jobs.pipeline.RecordingRun;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingReportTest {
  private static RecordingRun run(String contender, int round, double wall, Double... records) {
    return new RecordingRun(contender, round, wall, wall, List.of(records), 0, true);
  }

  @Test
  void leavesOutTheFirstRecordAndComparesWithinRounds() {
    RecordingReport report =
        new RecordingReport(
            List.of(
                run(RecordingRun.PLAIN, 1, 100),
                run(RecordingRun.RECORDED, 1, 110, 1.5, 0.1),
                run(RecordingRun.CHECKPOINTED, 1, 121, 0.2, 0.2),
                run(RecordingRun.CHECKPOINTED, 2, 50, 0.2, 0.4),
                run(RecordingRun.RECORDED, 2, 50, 0.1, 0.2),
                run(RecordingRun.PLAIN, 2, 50)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("first_record_cpu_s").asDouble()).isEqualTo(1.5);
    assertThat(summary.path("record_cpu_s").asDouble()).isEqualTo(0.2);
    assertThat(summary.path("longest_record_cpu_s").asDouble()).isEqualTo(0.4);
    assertThat(summary.path("record_within_limit").asBoolean()).isTrue();
    assertThat(summary.path("recorded_wall_ratio").asDouble()).isEqualTo(1.05);
    assertThat(summary.path("checkpointed_wall_ratio").asDouble()).isEqualTo(1.05);
    assertThat(report.table()).contains("limit 0.3");
  }
}
