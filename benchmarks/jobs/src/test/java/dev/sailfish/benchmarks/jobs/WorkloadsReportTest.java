package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The table, the JSON and the figures of runs of the paper's jobs. */
class WorkloadsReportTest {
  private static PaperRun run(
      PaperJob job, Contender contender, int round, double wall, double cpu, boolean valid) {
    BenchPlan plan =
        new BenchPlan(
            (int) job.inputMb(1),
            job.maps(),
            job.reduces(),
            List.of(contender),
            3,
            Codec.NONE,
            Map.of());
    boolean stock = contender == Contender.STOCK;
    Map<String, Long> counters = new HashMap<>(Map.of("REDUCE_SHUFFLE_BYTES", 113_000_000L));
    if (job == PaperJob.LOG_READ) {
      for (int i = 0; i < job.reduces(); i++) {
        counters.put(PaperJob.BYTES_OF_PARTITION + i, i < 3 ? 31_000_000L : 3_500_000L);
        counters.put(PaperJob.TASKS_OF_PARTITION + i, stock || i >= 3 ? 1L : 3L);
      }
    }
    List<Double> reduceTasks = stock ? List.of(9.0, 8.0, 2.0) : List.of(3.0, 3.5, 3.0, 2.5);
    JobMetrics metrics =
        new JobMetrics(
            true, wall, wall / 2, wall / 4, 0, 0, List.of(5.0, 1.0, wall), reduceTasks, counters);
    Measurement measurement = new Measurement(0, cpu, 0, 0, Map.of(), metrics);
    BenchRun run = BenchRun.of(job.title(), plan, contender, round, measurement, valid);
    return PaperRun.of(run, Optional.of(metrics));
  }

  private static final List<PaperRun> RUNS =
      List.of(
          run(PaperJob.LOG_READ, Contender.STOCK, 1, 40, 80, true),
          run(PaperJob.LOG_READ, Contender.SAILFISH, 1, 20, 60, true),
          run(PaperJob.LOG_READ, Contender.SAILFISH, 2, 30, 40, true),
          run(PaperJob.LOG_READ, Contender.STOCK, 2, 60, 120, true),
          run(PaperJob.LOG_READ, Contender.STOCK, 3, 44, 90, true),
          run(PaperJob.NDAY_MODEL, Contender.STOCK, 1, 50, 100, true),
          run(PaperJob.NDAY_MODEL, Contender.SAILFISH, 1, 5, 100, false));

  private static final WorkloadsReport REPORT = new WorkloadsReport(0.5, Map.of("a", "b"), RUNS);

  @Test
  void tableHasALinePerJobAsThePapersHas() {
    List<String> lines = REPORT.table().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0))
        .startsWith("job")
        .contains("characteristics", "operators", "input MB", "reduces stock", "CPU ratio");
    assertThat(lines.get(1).trim().split(" {2,}"))
        .containsExactly(
            "LogRead",
            "skew in reduce input",
            "GROUP BY",
            "55.0",
            "113.0",
            "113.0",
            "8",
            "3",
            "4",
            "44.0",
            "25.0",
            "0.57",
            "0.56",
            "0.69");
    assertThat(lines.get(2).trim().split(" {2,}"))
        .as("a job without a valid run of Sailfish")
        .contains("NdayModel", "50.0", "-");
    assertThat(lines.get(3)).isEqualTo("INVALID runs: 1");
  }

  @Test
  void jsonHasRunsWithTheirTasksAndMediansByJob() {
    JsonNode json = REPORT.json();
    assertThat(json.path("scale").asDouble()).isEqualTo(0.5);
    assertThat(json.path("settings").path("a").asText()).isEqualTo("b");
    assertThat(json.path("runs")).hasSize(7);
    JsonNode run = json.path("runs").get(0);
    assertThat(run.path("workload").asText()).isEqualTo("LogRead");
    assertThat(run.path("mb").asInt()).isEqualTo(110);
    assertThat(run.path("intermediate_mb").asDouble()).isEqualTo(113);
    assertThat(run.path("reduce_tasks").asInt()).isEqualTo(3);
    assertThat(run.path("map_task_s").toString()).isEqualTo("[5.0,1.0,40.0]");
    assertThat(run.path("partition_tasks")).hasSize(8);
    JsonNode read = json.path("summary").path("LogRead");
    assertThat(read.path("stock").path("wall_s").asDouble()).isEqualTo(44);
    assertThat(read.path("sailfish").path("reduce_tasks").asDouble()).isEqualTo(4);
    assertThat(read.path("ratio").path("cpu_s").asDouble()).isEqualTo(0.556);
    assertThat(json.path("summary").path("NdayModel").has("ratio")).isFalse();
    assertThat(json.path("summary").has("LogCount")).isFalse();
  }

  @Test
  void oneInvalidRunMakesAllInvalid() {
    assertThat(REPORT.allValid()).isFalse();
    assertThat(new WorkloadsReport(1, Map.of(), RUNS.subList(0, 6)).allValid()).isTrue();
    assertThat(new WorkloadsReport(1, Map.of(), List.of()).allValid()).isFalse();
  }

  @Test
  void aFailedRunHasNoTasks() {
    PaperRun failed = PaperRun.of(RUNS.get(0).run(), Optional.empty());
    assertThat(failed.reduceTasks()).isZero();
    assertThat(failed.mapTaskS()).isEmpty();
    assertThat(failed.partitionBytes()).isEmpty();
  }

  private static String csv(String name) {
    return new WorkloadFigures(RUNS)
        .all().stream()
            .filter(figure -> figure.name().equals(name))
            .findFirst()
            .orElseThrow()
            .csv();
  }

  @Test
  void figuresAreThoseOfThePaper() {
    assertThat(new WorkloadFigures(RUNS).all())
        .extracting(Figure::name)
        .containsExactly(
            "phases",
            "nday-model-map-times",
            "log-read-partition-mb",
            "log-read-reduce-tasks",
            "log-read-reduce-times");
    assertThat(csv("phases"))
        .isEqualTo(
            """
            job and shuffle,map phase s,reduce phase s
            LogRead stock,22,11
            LogRead sailfish,12.5,6.25
            NdayModel stock,25,12.5
            """);
    assertThat(csv("nday-model-map-times")).isEqualTo("map task,stock s\n0,1\n1,5\n2,50\n");
    assertThat(csv("log-read-partition-mb"))
        .startsWith("partition,stock MB,sailfish MB\n0,31,31\n")
        .endsWith("7,3.5,3.5\n");
    assertThat(csv("log-read-reduce-tasks"))
        .startsWith("partition,stock tasks,sailfish tasks\n0,1,3\n1,1,3\n2,1,3\n3,1,1\n");
    assertThat(csv("log-read-reduce-times"))
        .isEqualTo("reduce task,stock s,sailfish s\n0,9,3\n1,8,3.5\n2,2,3\n3,,2.5\n");
  }

  @Test
  void figuresOfJobsThatDidNotRunAreLeftOut() {
    List<PaperRun> one = List.of(run(PaperJob.LOG_PROC, Contender.STOCK, 1, 9, 9, true));
    assertThat(new WorkloadFigures(one).all()).extracting(Figure::name).containsExactly("phases");
    assertThat(new WorkloadFigures(List.of()).all()).isEmpty();
  }
}
