package dev.sailfish.benchmarks.simulations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.cli.Sailfish;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code model checkpoints}, {@code recompute} and {@code traffic}: output, figures, refusals. */
class EdgeCommandsTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine line =
      Sailfish.commandLine("model")
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  @Test
  void checkpointsComparesEdgeWithIntervals() {
    String figures = directory.toString();
    assertThat(line.execute("model", "checkpoints", "--runs", "20", "--figures", figures)).isZero();
    assertThat(out.toString())
        .contains("Recovery, one chain:", "Recovery, two chains with phases:", "sigma 5 s: Edge");
    assertThat(directory.resolve("recovery.csv")).content().hasLineCount(21);
    assertThat(directory.resolve("recovery-phases.svg")).content().startsWith("<svg ");
    assertThat(line.execute("model", "checkpoints", "--sigma", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--sigma is 0.0: give a number above 0");
  }

  @Test
  void recomputeIsThePapersArithmetic() {
    String figures = directory.toString();
    assertThat(line.execute("model", "recompute", "--figures", figures)).isZero();
    assertThat(out.toString()).contains("655.36", "0.759", "30.34");
    assertThat(directory.resolve("recompute.csv")).content().hasLineCount(12);
    assertThat(line.execute("model", "recompute", "--blocked", "2")).isEqualTo(2);
  }

  @Test
  void trafficIsSavedWithSlowCheckpoints() {
    String figures = directory.toString();
    assertThat(line.execute("model", "traffic", "--runs", "2", "--figures", figures)).isZero();
    assertThat(directory.resolve("traffic.csv")).content().hasLineCount(21);
    assertThat(line.execute("model", "traffic", "--reading", "84")).isEqualTo(2);
    assertThat(err.toString()).contains("--reading=84.0");
  }
}
