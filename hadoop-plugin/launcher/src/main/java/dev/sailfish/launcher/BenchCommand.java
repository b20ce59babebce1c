package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.ClusterSession;
import dev.sailfish.launcher.cluster.ClusterState;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.cluster.LocalCluster;
import dev.sailfish.launcher.run.BenchPlan;
import dev.sailfish.launcher.run.BenchReport;
import dev.sailfish.launcher.run.BenchRun;
import dev.sailfish.launcher.run.Codec;
import dev.sailfish.launcher.run.JobRequest;
import dev.sailfish.launcher.run.MeasuredRunner;
import dev.sailfish.launcher.run.Shuffle;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sailfish bench}: benchmarks are its sub-commands. */
@Command(
    name = "bench",
    description = "Runs a benchmark on the local cluster, which is started for it unless it runs.",
    mixinStandardHelpOptions = true,
    subcommands = BenchCommand.PartitionedSort.class,
    synopsisSubcommandLabel = "BENCHMARK")
final class BenchCommand implements Callable<Integer> {
  private static final String MAIN = "dev.sailfish.launcher.job.PartitionedSortJob";

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return 2;
  }

  /** {@code sailfish bench partitioned-sort}. */
  @Command(
      name = "partitioned-sort",
      description = {
        "Random 10-byte keys and 90-byte values, hash partitioned, sorted, checked and discarded.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      },
      mixinStandardHelpOptions = true)
  static final class PartitionedSort implements Callable<Integer> {
    @Mixin private ClusterOptions options;

    @Option(
        names = "--mb",
        paramLabel = "N",
        required = true,
        description = "Megabytes of records; 0 is the null job.")
    private int mb;

    @Option(names = "--maps", paramLabel = "N", required = true, description = "Map tasks.")
    private int maps;

    @Option(names = "--reduces", paramLabel = "N", required = true, description = "Reduce tasks.")
    private int reduces;

    @Option(
        names = "--shuffle",
        split = ",",
        paramLabel = "SHUFFLE",
        defaultValue = "stock,sailfish",
        description = "Contenders out of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private List<Shuffle> shuffles;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "1",
        description = "Runs of each contender (default: 1).")
    private int rounds;

    @Option(
        names = "--codec",
        paramLabel = "CODEC",
        defaultValue = "none",
        description = "Compression of map output: ${COMPLETION-CANDIDATES} (default: none).")
    private Codec codec;

    @Option(
        names = "--slowstart",
        paramLabel = "SHARE",
        defaultValue = "1.0",
        description = "Share of maps that are done before reduces start (default: 1.0).")
    private double slowstart;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
    private Path json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      BenchPlan plan = new BenchPlan(mb, maps, reduces, shuffles, rounds, codec, slowstart);
      Distribution distribution = Distribution.current();
      LocalCluster cluster = options.cluster(distribution, line -> progress("  " + line));
      boolean withSailfish = shuffles.contains(Shuffle.SAILFISH);
      try (ClusterSession session = ClusterSession.open(cluster, withSailfish)) {
        ClusterState state = session.state();
        if (withSailfish && state.daemon("metaserver").isEmpty()) {
          throw new LauncherException(
              "The running cluster has no Sailfish daemons: stop it, or measure with --shuffle"
                  + " stock.");
        }
        MeasuredRunner runner =
            new MeasuredRunner(
                distribution, cluster.layout(), state, line -> progress("  " + line));
        if (session.isOwner()) {
          warmUp(runner, distribution);
        }
        BenchReport report = new BenchReport(runAll(plan, runner, distribution));
        out.print(report.table());
        out.flush();
        if (json != null) {
          report.writeJson(json);
        }
        return report.allValid() ? 0 : 1;
      }
    }

    /**
     * A small job per contender, so that the first run does not pay for what daemons do only once.
     */
    private void warmUp(MeasuredRunner runner, Distribution distribution) {
      BenchPlan small = new BenchPlan(0, 1, 1, shuffles, 1, Codec.NONE, 1);
      for (Shuffle shuffle : shuffles) {
        progress("warming up: " + shuffle);
        runner.run("warm-up-" + shuffle, request(small, shuffle, 0, distribution));
      }
    }

    private List<BenchRun> runAll(
        BenchPlan plan, MeasuredRunner runner, Distribution distribution) {
      List<BenchRun> runs = new ArrayList<>();
      for (int round = 1; round <= plan.rounds(); round++) {
        for (Shuffle shuffle : plan.order(round)) {
          progress("round " + round + " of " + plan.rounds() + ": " + shuffle);
          JobRequest request = request(plan, shuffle, round, distribution);
          BenchRun run =
              BenchRun.of(
                  plan, shuffle, round, runner.run("bench-" + shuffle + "-" + round, request));
          progress(
              "  %.1f s, %.1f CPU s%s"
                  .formatted(run.wallSeconds(), run.cpuSeconds(), run.valid() ? "" : ", INVALID"));
          runs.add(run);
        }
      }
      return runs;
    }

    private static JobRequest request(
        BenchPlan plan, Shuffle shuffle, int seed, Distribution distribution) {
      List<String> arguments =
          List.of(
              MAIN,
              Long.toString(plan.records()),
              Integer.toString(plan.maps()),
              Integer.toString(plan.reduces()),
              Integer.toString(seed));
      return new JobRequest(distribution.launcherJar(), arguments, plan.configuration(shuffle));
    }

    private void progress(String line) {
      spec.commandLine().getErr().println(line);
    }
  }
}
