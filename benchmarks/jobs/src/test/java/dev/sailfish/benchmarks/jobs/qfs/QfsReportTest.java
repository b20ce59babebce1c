package dev.sailfish.benchmarks.jobs.qfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.CommandException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QfsReportTest {
  private static QfsReport report(String... lines) {
    return new QfsReport(Stream.of(lines).map(QfsRun::parse).toList(), 200, 3);
  }

  @Test
  void shouldCompareMediansWithTheTools() {
    QfsReport report =
        report(
            "client in 1 1.0 200.0 0.5",
            "client in 2 2.0 100.0 0.7",
            "client in 3 4.0 50.0 0.6",
            "tools in 1 1.6 125.0 0.4");
    JsonNode in = report.json().path("summary").path("in");
    assertThat(in.path("client").path("mb_s").asDouble()).isEqualTo(100);
    assertThat(in.path("client").path("cpu_s").asDouble()).isEqualTo(0.6);
    assertThat(in.path("client").path("speed_to_tools").asDouble()).isEqualTo(0.8);
    assertThat(report.json().path("runs")).hasSize(4);
    assertThat(report.table()).contains("client", "100.0", "0.800", "200 MB, 3 copies");
  }

  @Test
  void shouldLeaveTheRatioOutWithoutTools() {
    QfsReport report = report("client out 1 1.0 200.0 0.5", "client out 2 3.0 100.0 0.5");
    JsonNode client = report.json().path("summary").path("out").path("client");
    assertThat(client.path("seconds").asDouble()).isEqualTo(2);
    assertThat(client.has("speed_to_tools")).isFalse();
  }

  @Test
  void aLineThatIsNoRunShouldBeQuoted() {
    assertThatThrownBy(() -> QfsRun.parse("client in 1"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("client in 1");
  }
}
