package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.figures.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountainReportTest {
  private final MountainReport report =
      new MountainReport(
          List.of("store", "lineage:///mount/dir"),
          List.of(16, 1024),
          List.of(0, 64, 16384),
          List.of(
              new MountainRun("store", 16, 0, 1, 10),
              new MountainRun("store", 16, 0, 2, 30),
              new MountainRun("store", 16, 64, 1, 5),
              new MountainRun("store", 1024, 16384, 1, 7)),
          List.of("round 1: 16 MiB, lineage:///mount/dir: not valid"));

  @Test
  void drawsALineOfEachSkipOverTheSizeOfTheData() {
    Figure figure = report.figures().get(0);
    assertThat(figure.csv().lines())
        .containsExactly(
            "data,skip 0 KiB MB/s,skip 64 KiB MB/s,skip 16 MiB MB/s",
            "16 MiB,20,5,",
            "1024 MiB,,,7");
    assertThat(report.figures().get(1).name()).isEqualTo("storage-mountain-lineage-mount-dir");
  }

  @Test
  void tellsMediansAndFailures() {
    assertThat(report.json().path("summary")).hasSize(3);
    assertThat(report.json().path("summary").get(0).path("mb_s").asDouble()).isEqualTo(20);
    assertThat(report.json().path("failures")).hasSize(1);
    assertThat(report.table()).contains("not valid").contains("        -");
  }
}
