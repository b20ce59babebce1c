package dev.sailfish.benchmarks.jobs.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordLinesTest {
  private static final String LINE =
      "2026-11-26 10:00:00,000 INFO [main] dev.sailfish.hadoop.lineage.record.RecordMaker:"
          + " Record 7 says how job_1_0001 makes its files: 4 programs, 2 inputs; 250 ms, %d ms of"
          + " CPU";

  @TempDir private Path logs;

  private void log(String application, String container, String... lines) throws IOException {
    Path directory = Files.createDirectories(logs.resolve(application).resolve(container));
    Files.write(directory.resolve("syslog"), List.of(lines));
  }

  @Test
  void findsWhatTasksSayThatARecordTook() throws IOException {
    log("application_1", "container_1", "INFO nothing", LINE.formatted(140));
    log("application_2", "container_1", LINE.formatted(90));
    log("application_2", "container_2", "INFO Record 7 is there");
    Files.createDirectories(logs.resolve("application_3/container_1"));
    assertThat(new RecordLines(logs).cpuSeconds()).containsExactly(0.14, 0.09);
  }

  @Test
  void leavesOutApplicationsThatWereThere() throws IOException {
    log("application_1", "container_1", LINE.formatted(140));
    RecordLines lines = new RecordLines(logs);
    lines.skip();
    log("application_2", "container_1", LINE.formatted(90));
    assertThat(lines.cpuSeconds()).containsExactly(0.09);
  }
}
