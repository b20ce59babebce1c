package dev.sailfish.benchmarks.jobs.workload;

import static dev.sailfish.benchmarks.jobs.workload.Contender.SAILFISH;
import static dev.sailfish.benchmarks.jobs.workload.Contender.STOCK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PaperWorkloadTest {
  private static final String SORT_MB = "mapreduce.task.io.sort.mb";

  private static PaperWorkload workload(PaperJob job, double scale, Map<String, String> settings) {
    BenchPlan plan =
        new BenchPlan(
            (int) job.inputMb(scale),
            job.maps(),
            job.reduces(),
            List.of(STOCK, SAILFISH),
            2,
            Codec.NONE,
            settings);
    return new PaperWorkload(job, scale, plan, new JobJars(Path.of("/jars")));
  }

  private static Measurement measured(long records, long sum) {
    Map<String, Long> counters = Map.of("RESULT_RECORDS", records, "RESULT_HASH_SUM", sum);
    JobMetrics job = new JobMetrics(true, 1, 1, 1, 0, 0, List.of(2.0), List.of(), counters);
    return new Measurement(0, 1, 1, 1, Map.of(), job);
  }

  @Test
  void allContendersOfARoundGetTheSameJob() {
    PaperWorkload workload = workload(PaperJob.LOG_PROC, 0.5, Map.of());
    assertThat(workload.request(STOCK, 2).arguments())
        .containsExactly(
            "dev.sailfish.benchmarks.jobs.mapreduce.PaperWorkloadJob", "LOG_PROC", "0.5", "2")
        .isEqualTo(workload.request(SAILFISH, 2).arguments());
    assertThat(workload.label()).isEqualTo("LogProc");
  }

  @Test
  void resultsOfARoundMustBeEqual() {
    PaperWorkload workload = workload(PaperJob.LOG_COUNT, 1, Map.of());
    workload.request(STOCK, 1);
    assertThat(workload.mistake(measured(10, 77), null)).isEmpty();
    workload.request(SAILFISH, 1);
    assertThat(workload.mistake(measured(10, 77), null)).isEmpty();
    workload.request(SAILFISH, 2);
    assertThat(workload.mistake(measured(10, -5), null)).as("another round").isEmpty();
    workload.request(STOCK, 2);
    assertThat(workload.mistake(measured(10, -6), null))
        .hasValueSatisfying(
            mistake -> assertThat(mistake).contains("10 records with sum -6", "with sum -5"));
  }

  @Test
  void aRunThatFailedLeavesNothingOfTheOneBefore() {
    PaperWorkload workload = workload(PaperJob.LOG_COUNT, 1, Map.of());
    workload.request(STOCK, 1);
    workload.mistake(measured(10, 77), null);
    assertThat(workload.last()).isPresent();
    workload.request(SAILFISH, 1);
    assertThat(workload.last()).isEmpty();
  }

  @Test
  void theSortBufferHoldsTheOutputOfTheLargestMap() {
    assertThat(workload(PaperJob.LOG_PROC, 1, Map.of()).request(STOCK, 1).configuration())
        .containsEntry(SORT_MB, "256");
    assertThat(workload(PaperJob.LOG_PROC, 3, Map.of()).request(STOCK, 1).configuration())
        .containsEntry(SORT_MB, "640");
    assertThat(
            workload(PaperJob.LOG_PROC, 3, Map.of(SORT_MB, "64")).request(STOCK, 1).configuration())
        .containsEntry(SORT_MB, "64");
  }
}
