package dev.sailfish.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.chaos.TestFault.TestMoment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report adds up per kind of fault, and says what a run did not show. */
class ChaosReportTest {
  @TempDir private Path directory;

  private record Work(
      String name, List<Injection<TestTarget>> injections, long wallMs, long again, long attempt)
      implements Outcome<TestTarget> {
    @Override
    public boolean succeeded() {
      return true;
    }

    @Override
    public String recovery(Injection<TestTarget> injection) {
      return again > 0 ? "done_again" : "nothing_needed";
    }

    @Override
    public Map<String, Long> costs() {
      return Map.of("tasks_again", again);
    }

    @Override
    public Map<String, Long> heights() {
      return Map.of("highest_attempt", attempt);
    }

    @Override
    public Map<String, Object> details() {
      return Map.of("correct", true);
    }
  }

  private static Injection<TestTarget> injection(TestFault kind, boolean struck) {
    return new Injection<>(
        new Fault<>(kind, TestMoment.STARTED, 0, 0), struck ? Optional.of("x") : Optional.empty());
  }

  private static ChaosReport<TestTarget> report() {
    ChaosReport<TestTarget> report = new ChaosReport<>(7, List.of("done_again", "nothing_needed"));
    report.add(new Work("calm", List.of(), 1_000, 0, 1));
    report.add(new Work("one", List.of(injection(TestFault.FIRST, true)), 3_000, 2, 3));
    report.add(
        new Work(
            "two",
            List.of(injection(TestFault.FIRST, true), injection(TestFault.SECOND, false)),
            2_000,
            0,
            2));
    return report;
  }

  @Test
  void shouldNameKindsThatNeverStruck() {
    ChaosReport<TestTarget> report = report();
    assertThat(report.neverStruck()).containsExactly(TestFault.SECOND);
    report.add(new Work("three", List.of(injection(TestFault.SECOND, true)), 1_000, 0, 1));
    assertThat(report.neverStruck()).isEmpty();
  }

  @Test
  void textShouldHaveALineForEachKindAndTheSums() {
    List<String> lines = report().text().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("fault").contains("planned", "done_again", "tasks_again");
    assertThat(lines.get(1)).startsWith("FIRST").endsWith("1.5");
    assertThat(lines.get(2)).startsWith("SECOND").endsWith("-");
    assertThat(lines.get(3))
        .isEqualTo("seed=7 jobs=3 succeeded=3 injected=2 highest_attempt=3 without_faults_ms=1000");
  }

  @Test
  void fileShouldHaveKindsAndWorks() throws Exception {
    Path file = directory.resolve("report.json");
    report().write(file);
    JsonNode root = new ObjectMapper().readTree(file.toFile());
    JsonNode first = root.path("kinds").path(0);
    assertThat(first.path("kind").asText()).isEqualTo("FIRST");
    assertThat(first.path("expected").asText()).isEqualTo("SUCCEEDS");
    assertThat(first.path("injected").asInt()).isEqualTo(2);
    assertThat(first.path("done_again").asInt()).isEqualTo(1);
    assertThat(first.path("nothing_needed").asInt()).isEqualTo(1);
    assertThat(first.path("tasks_again").asInt()).isEqualTo(2);
    assertThat(root.path("highest_attempt").asInt()).isEqualTo(3);
    assertThat(root.path("jobs").path(1).path("correct").asBoolean()).isTrue();
    assertThat(root.path("jobs").path(1).path("faults").path(0).asText())
        .isEqualTo("FIRST at STARTED+0ms: x");
  }
}
