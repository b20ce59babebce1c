package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparkReportTest {
  private final List<SparkRun> runs = new ArrayList<>();

  private void level(String work, int mb, int objectMb, double store, double second) {
    runs.add(run("levels", SparkBench.STORE, work, mb, objectMb, store));
    runs.add(run("levels", SparkBench.SECOND, work, mb, objectMb, second));
  }

  private void cache(int mb, double lineage, double objects, double serialized) {
    runs.add(run("caches", SparkBench.LINEAGE, "words", mb, 64, lineage));
    runs.add(run("caches", "MEMORY_ONLY", "words", mb, 64, objects));
    runs.add(run("caches", "MEMORY_ONLY_SER", "words", mb, 64, serialized));
  }

  private static SparkRun run(
      String experiment, String contender, String work, int mb, int objectMb, Double seconds) {
    boolean valid = seconds != null;
    return new SparkRun(
        experiment, contender, work, mb, objectMb, 1, null, seconds, null, null, valid);
  }

  private List<String> verdicts() {
    return new SparkReport(runs, 100)
        .verdicts().stream()
            .map(one -> one.rule() + " " + one.ratio() + " " + one.verdict())
            .toList();
  }

  @Test
  void judgesByWorkAndSize() {
    level("lines", 50, 64, 1, 3);
    level("words", 50, 64, 10, 10.5);
    level("lines", 200, 64, 4, 4.2);
    assertThat(verdicts())
        .containsExactly(
            "light jobs gain 3.0 reproduced",
            "heavy jobs do not gain 1.05 reproduced",
            "up to twice the memory gains, too 1.05 refuted");
  }

  @Test
  void comparesTheGainOfSmallFilesWithThatOfLargeOnes() {
    level("lines", 64, 64, 1, 2);
    level("lines", 60, 1, 1, 3);
    assertThat(verdicts()).contains("small files gain more 1.5 reproduced");
  }

  @Test
  void takesTheBestOfSparksCaches() {
    cache(10, 1, 0.95, 2);
    cache(80, 1, 1.5, 1.05);
    assertThat(verdicts())
        .containsExactly(
            "little data: no slower than Spark's 0.95 reproduced",
            "more data: faster than Spark's 1.05 refuted");
  }

  @Test
  void saysNothingOfRunsThatAreNotValid() {
    runs.add(run("levels", SparkBench.STORE, "lines", 50, 64, null));
    runs.add(run("levels", SparkBench.SECOND, "lines", 50, 64, 1.0));
    assertThat(verdicts()).isEmpty();
    assertThat(new SparkReport(runs, 100).table()).contains("levels lines 50 MB");
  }
}
