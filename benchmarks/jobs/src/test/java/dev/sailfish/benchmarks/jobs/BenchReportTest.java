package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.WarmTasks;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchReportTest {
  private static BenchRun run(String shuffle, int round, double wall, double cpu, boolean valid) {
    return run(100, shuffle, round, wall, cpu, valid);
  }

  private static BenchRun nullRun(String shuffle, int round, double cpu, boolean valid) {
    return run(0, shuffle, round, 5, cpu, valid);
  }

  private static BenchRun run(
      int mb, String shuffle, int round, double wall, double cpu, boolean valid) {
    return run("sort", mb, shuffle, round, wall, cpu, valid);
  }

  private static BenchRun ownRun(String shuffle, int round, double cpu) {
    return run("own work", 100, shuffle, round, 5, cpu, true);
  }

  private static BenchRun run(
      String workload, int mb, String shuffle, int round, double wall, double cpu, boolean valid) {
    return new BenchRun(
        workload,
        shuffle,
        round,
        new BenchRun.Size(mb, 2, 2, "none"),
        wall,
        1,
        shuffle.equals("sailfish") ? 1.5 : 2,
        cpu,
        4,
        6,
        0.5,
        3,
        0.5,
        4_000_000,
        100_000_000,
        50,
        new BenchRun.Chunks(7, 5, 640_000, 25),
        new BenchRun.Again(1, 0),
        1_000_000,
        valid);
  }

  private static final BenchReport REPORT =
      report(
          List.of(
              run("stock", 1, 10, 40, true),
              run("sailfish", 1, 8, 20, true),
              run("sailfish", 2, 6, 10, true),
              run("stock", 2, 20, 60, true),
              run("stock", 3, 30, 50, true)));

  private static BenchReport report(List<BenchRun> runs) {
    return new BenchReport(runs, Map.of());
  }

  @Test
  void namesTheSettingsThatWereNotItsOwn() {
    List<BenchRun> runs = List.of(run("stock", 1, 10, 40, true));
    assertThat(new BenchReport(runs, Map.of("a.key", "its value")).json().toPrettyString())
        .contains("\"settings\" : {")
        .contains("\"a.key\" : \"its value\"");
    assertThat(report(runs).json().has("settings")).isFalse();
  }

  @Test
  void jsonHasAnObjectPerRun() {
    JsonNode runs = REPORT.json().path("runs");
    assertThat(runs).hasSize(5);
    assertThat(runs.get(0).toString())
        .isEqualTo(
            "{\"workload\":\"sort\",\"shuffle\":\"stock\",\"round\":1,\"mb\":100,\"maps\":2,\"reduces\":2,"
                + "\"codec\":\"none\",\"wall_s\":10.0,\"map_s\":1.0,\"reduce_s\":2.0,"
                + "\"cpu_s\":40.0,\"sailfish_cpu_s\":4.0,\"master_cpu_s\":6.0,"
                + "\"idle_sailfish_cpu_s\":0.5,"
                + "\"task_cpu_s\":3.0,\"gc_s\":0.5,"
                + "\"spilled_bytes\":4000000,\"shuffled_bytes\":100000000,\"fetches\":50,"
                + "\"chunks\":7,\"full_chunks\":5,\"full_chunk_bytes\":640000,\"seeks\":25,"
                + "\"maps_again\":1,\"reduces_again\":0,"
                + "\"records\":1000000,\"valid\":true}");
  }

  @Test
  void summaryHasMediansAndTheirRatio() {
    JsonNode summary = REPORT.json().path("summary");
    assertThat(summary.path("stock").path("wall_s").asDouble()).isEqualTo(20);
    assertThat(summary.path("stock").path("valid_runs").asInt()).isEqualTo(3);
    assertThat(summary.path("sailfish").path("cpu_s").asDouble()).isEqualTo(15);
    assertThat(summary.path("ratio").path("wall_s").asDouble()).isEqualTo(0.35);
    assertThat(summary.path("ratio").path("cpu_s").asDouble()).isEqualTo(0.3);
  }

  @Test
  void cpuAboveTheNullJobIsTakenFromRunsOfTheSameRound() {
    BenchReport report =
        report(
            List.of(
                nullRun("stock", 1, 10, true),
                run("stock", 1, 10, 40, true),
                nullRun("sailfish", 1, 9, true),
                run("sailfish", 1, 8, 19, true),
                nullRun("stock", 2, 30, true),
                run("stock", 2, 10, 70, true),
                nullRun("sailfish", 2, 20, true),
                run("sailfish", 2, 8, 34, true),
                nullRun("sailfish", 3, 1, false),
                run("sailfish", 3, 8, 100, true)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("stock").path("valid_runs").asInt()).isEqualTo(2);
    JsonNode above = summary.path("above_null_cpu_s");
    assertThat(above.path("stock").asDouble()).isEqualTo(35);
    assertThat(above.path("sailfish").asDouble()).isEqualTo(12);
    assertThat(above.path("ratio").asDouble()).isEqualTo(0.343);
    assertThat(report.table())
        .contains("CPU s above the null job: stock 35.0, sailfish 12.0, sailfish / stock 0.34");
  }

  @Test
  void cpuAboveTheJobsOwnWorkIsWhatTheShuffleCosts() {
    BenchReport report =
        report(
            List.of(
                nullRun("stock", 1, 10, true),
                ownRun("stock", 1, 16),
                run("stock", 1, 10, 40, true),
                nullRun("sailfish-isolated", 1, 5, true),
                ownRun("sailfish-isolated", 1, 7),
                run("sailfish-isolated", 1, 8, 13, true)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("stock").path("valid_runs").asInt()).isEqualTo(1);
    assertThat(summary.path("above_null_cpu_s").path("stock").asDouble()).isEqualTo(30);
    JsonNode above = summary.path("above_own_work_cpu_s");
    assertThat(above.path("stock").asDouble()).isEqualTo(24);
    assertThat(above.path("sailfish-isolated").asDouble()).isEqualTo(6);
    assertThat(above.path("ratio_isolated").asDouble()).isEqualTo(0.25);
    assertThat(report.table())
        .contains("own work")
        .contains("sailfish-isolated / stock: wall 0.80, CPU 0.33")
        .contains(
            "CPU s above the job's own work: stock 24.0, sailfish-isolated 6.0,"
                + " sailfish-isolated / stock 0.25")
        .contains("CPU s counted above the job's own work: ");
  }

  @Test
  void ownWorkBesideNullJobsIsNoNullJob() {
    BenchReport report =
        report(List.of(run("own work", 0, "stock", 1, 5, 8, true), nullRun("stock", 1, 10, true)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("stock").path("cpu_s").asDouble()).isEqualTo(10);
    assertThat(summary.has("above_null_cpu_s")).isFalse();
    assertThat(summary.path("above_own_work_cpu_s").path("stock").asDouble()).isEqualTo(2);
  }

  @Test
  void eachOfSailfishsContendersHasItsRatios() {
    JsonNode summary =
        report(
                List.of(
                    run("stock", 1, 10, 40, true),
                    run("stock-tuned", 1, 10, 20, true),
                    run("sailfish-isolated", 1, 4, 8, true),
                    run("sailfish-shared", 1, 3, 6, true),
                    run("sailfish-cold", 1, 8, 16, true)))
            .json()
            .path("summary");
    assertThat(summary.path("ratio_isolated").path("cpu_s").asDouble()).isEqualTo(0.2);
    assertThat(summary.path("ratio_shared_tuned").path("cpu_s").asDouble()).isEqualTo(0.3);
    assertThat(summary.path("ratio_cold").path("cpu_s").asDouble()).isEqualTo(0.4);
    assertThat(summary.path("ratio_isolated_cold").path("cpu_s").asDouble()).isEqualTo(0.5);
    assertThat(summary.has("ratio")).isFalse();
  }

  private static final BenchPlan PLAN =
      new BenchPlan(
          100,
          2,
          2,
          List.of(Contender.STOCK, Contender.SAILFISH),
          1,
          Codec.NONE,
          MasterChoice.STOCK.with(WarmTasks.SHARED),
          Map.of());

  @Test
  void warmUpsAreReportedApart() {
    List<BenchRun> warmUps =
        List.of(run("sailfish", 1, 9, 30, true), run("sailfish", 2, 8, 25, true));
    BenchReport report = BenchReport.of(PLAN, warmUps, List.of(run("sailfish", 1, 7, 20, true)));
    JsonNode json = report.json();
    assertThat(json.path("warm_up")).hasSize(2);
    assertThat(json.path("runs")).hasSize(1);
    assertThat(json.path("master").path("sailfish.am.warm.tasks").asText()).isEqualTo("shared");
    assertThat(json.path("summary").path("sailfish").path("cpu_s").asDouble()).isEqualTo(20);
    assertThat(json.path("summary").path("sailfish").path("sailfish_cpu_s").asDouble())
        .isEqualTo(4);
    assertThat(report.table())
        .contains("warm-up as sailfish: CPU s of Sailfish's daemons 4.0, 4.0");
    assertThat(report.allValid()).isTrue();
    assertThat(
            BenchReport.of(
                    PLAN,
                    List.of(run("sailfish", 1, 9, 30, false)),
                    List.of(run("sailfish", 1, 7, 20, true)))
                .allValid())
        .isFalse();
  }

  @Test
  void tunedStockIsComparedToo() {
    BenchReport report =
        report(
            List.of(
                nullRun("stock", 1, 10, true),
                run("stock", 1, 10, 40, true),
                nullRun("stock-tuned", 1, 10, true),
                run("stock-tuned", 1, 8, 34, true),
                nullRun("sailfish", 1, 10, true),
                run("sailfish", 1, 6, 22, true)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("stock-tuned").path("cpu_s").asDouble()).isEqualTo(34);
    assertThat(summary.path("ratio").path("wall_s").asDouble()).isEqualTo(0.6);
    assertThat(summary.path("ratio_tuned").path("wall_s").asDouble()).isEqualTo(0.75);
    JsonNode above = summary.path("above_null_cpu_s");
    assertThat(above.path("stock-tuned").asDouble()).isEqualTo(24);
    assertThat(above.path("ratio").asDouble()).isEqualTo(0.4);
    assertThat(above.path("ratio_tuned").asDouble()).isEqualTo(0.5);
    assertThat(summary.path("counted_above_null_cpu_s").path("sailfish").asDouble()).isZero();
    assertThat(report.table())
        .contains("sailfish / stock: wall 0.60, CPU 0.55")
        .contains("sailfish / stock-tuned: wall 0.75, CPU 0.65")
        .contains(
            "CPU s above the null job: stock 30.0, stock-tuned 24.0, sailfish 12.0,"
                + " sailfish / stock 0.40, sailfish / stock-tuned 0.50");
  }

  @Test
  void nullJobsAloneAreComparedAsTheyAre() {
    BenchReport report =
        report(List.of(nullRun("stock", 1, 10, true), nullRun("sailfish", 1, 9, true)));
    JsonNode summary = report.json().path("summary");
    assertThat(summary.path("ratio").path("cpu_s").asDouble()).isEqualTo(0.9);
    assertThat(summary.has("above_null_cpu_s")).isFalse();
  }

  @Test
  void oneContenderHasNoRatio() {
    BenchReport report = report(List.of(run("stock", 1, 10, 40, true)));
    assertThat(report.json().path("summary").has("ratio")).isFalse();
    assertThat(report.table()).contains("stock").doesNotContain("/");
  }

  @Test
  void tableShowsRunsMediansAndRatio() {
    assertThat(REPORT.table().lines())
        .hasSize(1 + 5 + 2 + 1)
        .last()
        .isEqualTo("sailfish / stock: wall 0.35, CPU 0.30, reduce phase 0.75");
  }

  @Test
  void oneInvalidRunMakesTheBenchInvalidAndCountsForNoMedian() {
    BenchReport report =
        report(List.of(run("stock", 1, 10, 40, true), run("stock", 2, 1, 1, false)));
    assertThat(report.allValid()).isFalse();
    assertThat(report.json().toPrettyString()).contains("\"valid_runs\" : 1");
    assertThat(report.table()).contains("false");
  }

  @Test
  void noRunsAreNotValid() {
    assertThat(report(List.of()).allValid()).isFalse();
  }
}
