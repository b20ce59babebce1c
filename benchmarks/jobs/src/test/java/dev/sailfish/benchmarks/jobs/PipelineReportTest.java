package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.jobs.pipeline.BesideRun;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineRun;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipelineReportTest {
  private static PipelineRun run(String contender, int round, boolean loss, double wall) {
    return new PipelineRun(
        contender, round, loss, 2, 6, wall, 2 * wall, wall - 1, wall, 30.0, 60.0, 6, 24, 0, true);
  }

  private static PipelineRun invalid(String contender) {
    return new PipelineRun(contender, 2, false, 2, 1, 999, 999, 0, 0, null, null, 0, 0, 0, false);
  }

  private static PipelineReport report(List<PipelineRun> runs, List<BesideRun> besides) {
    return new PipelineReport(runs, besides, List.of("hdfs1", "lineage"), false);
  }

  @Test
  void comparesContendersWithTheFirstAndLossesWithTheirOwn() {
    JsonNode summary =
        report(
                List.of(
                    run("hdfs1", 1, false, 100),
                    run("hdfs1", 1, true, 150),
                    run("lineage", 1, false, 80),
                    run("lineage", 1, true, 88),
                    invalid("lineage")),
                List.of())
            .json()
            .path("summary");
    JsonNode lineage = summary.path("lineage");
    assertThat(lineage.at("/undisturbed/wall_s_ratio").asDouble()).isEqualTo(0.8);
    assertThat(lineage.at("/with_loss/wall_s_to_undisturbed").asDouble()).isEqualTo(1.1);
    assertThat(summary.at("/hdfs1/with_loss/cpu_s_to_undisturbed").asDouble()).isEqualTo(1.5);
    assertThat(lineage.at("/copies/below_of_written").asDouble()).isEqualTo(0.2);
    assertThat(lineage.at("/copies/below_of_replicated").asDouble()).isEqualTo(0.1);
    assertThat(summary.has("beside")).isFalse();
  }

  @Test
  void saysWhatARecomputeDoesToAnother() {
    PipelineReport report =
        report(
            List.of(run("hdfs1", 1, false, 100), run("lineage", 1, false, 80)),
            List.of(
                new BesideRun(1, BesideRun.NOTHING, 20, null, 0, true),
                new BesideRun(1, BesideRun.JOB, 30, 30.0, 0, true),
                new BesideRun(1, BesideRun.RECOMPUTE, 33, 60.0, 2, true)));
    JsonNode beside = report.json().at("/summary/beside");
    assertThat(beside.path("other_ratio").asDouble()).isEqualTo(1.1);
    assertThat(beside.path("own_ratio").asDouble()).isEqualTo(2);
    assertThat(report.allValid()).isTrue();
    assertThat(report.table()).contains("recompute");
  }

  @Test
  void oneInvalidRunIsEnough() {
    assertThat(report(List.of(invalid("hdfs1")), List.of()).allValid()).isFalse();
  }
}
