package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.Sailfish;
import dev.sailfish.localcluster.client.WarmTasks;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** The commands that this module adds to {@code bin/sailfish}. */
class BenchCommandTest {
  private final StringWriter err = new StringWriter();
  private final CommandLine line = Sailfish.commandLine().setErr(new PrintWriter(err, true));

  @Test
  void benchAndDemoAreAmongTheCommands() {
    assertThat(line.getSubcommands()).containsKeys("bench", "demo", "start", "jar");
  }

  @Test
  void unknownContendersAndCodecsAreRefusedWithTheKnownOnes() {
    assertThat(
            line.execute(
                "bench",
                "partitioned-sort",
                "--mb",
                "1",
                "--maps",
                "1",
                "--reduces",
                "1",
                "--codec",
                "zip"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("[NONE, LZ4, ZSTD, SNAPPY, LZO]");
    assertThat(
            line.execute(
                "bench",
                "terasort",
                "--mb",
                "1",
                "--maps",
                "1",
                "--reduces",
                "1",
                "--shuffle",
                "stock,fast"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("stock-tuned");
  }

  /** Whether a command starts the web process, by its words. */
  private Object web(String... words) {
    ParseResult parsed = line.parseArgs(words);
    while (parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    return parsed.commandSpec().findOption("--web").getValue();
  }

  @Test
  void startHasAWebProcessAndWhatMeasuresHasNone() {
    assertThat(web("start")).isEqualTo(true);
    assertThat(web("start", "--web")).isEqualTo(true);
    assertThat(web("start", "--no-web")).isEqualTo(false);
    for (List<String> words :
        List.of(
            List.of("demo"),
            List.of("demo", "lineage"),
            List.of("bench", "workloads"),
            List.of("bench", "task-start"))) {
      String[] plain = words.toArray(new String[0]);
      assertThat(web(plain)).as("%s", words).isEqualTo(false);
      List<String> more = new ArrayList<>(words);
      more.add("--no-web");
      assertThat(web(more.toArray(new String[0]))).as("%s", more).isEqualTo(false);
      more.set(more.size() - 1, "--web");
      assertThat(web(more.toArray(new String[0]))).as("%s", more).isEqualTo(true);
    }
  }

  @Test
  void benchTakesTunedStockAsAContender() {
    ParseResult parsed =
        line.parseArgs(
            "bench",
            "partitioned-sort",
            "--mb",
            "1",
            "--maps",
            "1",
            "--reduces",
            "1",
            "--shuffle",
            "stock,stock-tuned,sailfish");
    assertThat(
            parsed.subcommand().subcommand().matchedOption("--shuffle").<List<Contender>>getValue())
        .containsExactly(Contender.STOCK, Contender.STOCK_TUNED, Contender.SAILFISH);
  }

  private static String[] sort(String... more) {
    List<String> words =
        new ArrayList<>(
            List.of("bench", "partitioned-sort", "--mb", "1", "--maps", "1", "--reduces", "1"));
    words.addAll(List.of(more));
    return words.toArray(new String[0]);
  }

  @Test
  void warmTasksAreAnOptionAndContenders() {
    ParseResult parsed =
        line.parseArgs(
                sort(
                    "--warm-tasks",
                    "shared",
                    "--own-work",
                    "--warm-up",
                    "3",
                    "--shuffle",
                    "sailfish,sailfish-isolated,sailfish-shared,sailfish-cold"))
            .subcommand()
            .subcommand();
    assertThat(parsed.matchedOption("--warm-tasks").<Optional<WarmTasks>>getValue())
        .contains(WarmTasks.SHARED);
    assertThat(parsed.matchedOption("--shuffle").<List<Contender>>getValue())
        .containsExactly(
            Contender.SAILFISH,
            Contender.SAILFISH_ISOLATED,
            Contender.SAILFISH_SHARED,
            Contender.SAILFISH_COLD);
    assertThat(line.execute(sort("--warm-tasks", "hot"))).isEqualTo(2);
    assertThat(err.toString()).contains("[ISOLATED, SHARED, OFF]");
  }

  @Test
  void whatCannotBeMeasuredIsRefusedBeforeAClusterStarts() {
    assertThat(line.execute(sort("--own-work", "--reduce-work", "auto"))).isEqualTo(1);
    assertThat(err.toString()).contains("--own-work needs jobs with as many reduce tasks");
    assertThat(line.execute(sort("--warm-up", "-1"))).isEqualTo(1);
    assertThat(err.toString()).contains("--warm-up is a number from 0 on, not -1");
    assertThat(line.execute("bench", "workloads", "--shuffle", "stock,sailfish-cold")).isEqualTo(1);
    assertThat(err.toString()).contains("bench workloads compares stock and sailfish");
  }

  @Test
  void lossTakesWhatThePartitionedSortTakes() {
    ParseResult parsed =
        line.parseArgs(
            "bench",
            "loss",
            "--mb",
            "64",
            "--maps",
            "8",
            "--reduces",
            "4",
            "--rounds",
            "3",
            "--reduce-work",
            "auto",
            "--shuffle",
            "sailfish",
            "--json",
            "result.json");
    assertThat(parsed.subcommand().subcommand().matchedOption("--reduce-work").<Object>getValue())
        .hasToString("auto");
  }

  @Test
  void asManyClientsListenAsTheWebProcessTakes() {
    assertThat(line.execute("bench", "web-watch", "--clients", "201")).isEqualTo(1);
    assertThat(err.toString()).contains("1 to 200, not 201");
  }

  @Test
  void benchNeedsABenchmark() {
    assertThat(line.execute("bench")).isEqualTo(2);
    assertThat(err.toString()).contains("partitioned-sort");
  }
}
