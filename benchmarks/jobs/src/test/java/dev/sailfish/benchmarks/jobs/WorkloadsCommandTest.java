package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.cli.Sailfish;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What {@code bench workloads} refuses before it starts a cluster, and what it says then. */
class WorkloadsCommandTest {
  private final StringWriter err = new StringWriter();
  private final CommandLine line = Sailfish.commandLine().setErr(new PrintWriter(err, true));

  private String refusal(String... options) {
    List<String> arguments = new ArrayList<>(List.of("bench", "workloads"));
    arguments.addAll(List.of(options));
    assertThat(line.execute(arguments.toArray(String[]::new))).isNotZero();
    return err.toString();
  }

  @Test
  void scalesHaveALimitOnBothSides() {
    assertThat(refusal("--scale", "0")).contains("from 0.001 to 100, not 0.0");
    assertThat(refusal("--scale", "NaN")).contains("not NaN");
    assertThat(refusal("--scale", "1000")).contains("not 1000.0");
    assertThat(refusal("--scale", "much")).contains("--scale").contains("much");
  }

  @Test
  void jobsThatThereAreNotAreRefusedWithThoseThereAre() {
    assertThat(refusal("--jobs", "LogC")).contains("LogC matches none of LogCount, LogProc");
    assertThat(refusal("--jobs", "Log(")).contains("--jobs is no regular expression");
  }

  @Test
  void tunedStockIsRefusedWithWhatToDo() {
    assertThat(refusal("--shuffle", "stock,stock-tuned"))
        .contains("cannot run stock-tuned")
        .contains("bench partitioned-sort");
  }

  @Test
  void figuresNeedADirectory() {
    assertThat(refusal("--figures", "/dev/null/figures"))
        .contains("Cannot make the directory of --figures /dev/null/figures");
  }

  @Test
  void roundsAndSettingsAreCheckedAsForOtherBenches() {
    assertThat(refusal("--rounds", "0")).contains("--rounds must be at least 1");
    assertThat(refusal("--codec", "zstd")).contains("choose lz4, snappy or lzo");
  }

  @Test
  void takesWhatOtherBenchesTakeButNoSizes() {
    ParseResult parsed =
        line.parseArgs(
            "bench",
            "workloads",
            "--scale",
            "0.1",
            "--reduce-work",
            "auto",
            "--jobs",
            "Log.*",
            "--rounds",
            "3",
            "--json",
            "r.json",
            "--figures",
            "f",
            "-D",
            "a=b");
    assertThat(parsed.subcommand().subcommand().matchedOption("--scale").<Double>getValue())
        .isEqualTo(0.1);
    assertThat(refusal("--mb", "1")).contains("--mb");
  }
}
