package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.benchmarks.jobs.workload.TeraSort;
import dev.sailfish.benchmarks.jobs.workload.WordCount;
import dev.sailfish.cli.AddedCommand;
import dev.sailfish.cli.ClusterOptions;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    subcommands = {
      BenchCommand.PartitionedSortCommand.class,
      BenchCommand.WordCountCommand.class,
      BenchCommand.TeraSortCommand.class,
      BenchCommand.TaskStartCommand.class
    },
    synopsisSubcommandLabel = "BENCHMARK")
public final class BenchCommand implements AddedCommand {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return 2;
  }

  /** What all benchmarks are told. */
  static final class Options {
    @Mixin private ClusterOptions cluster;

    @Option(
        names = "--mb",
        paramLabel = "N",
        required = true,
        description = "Megabytes of input; for partitioned-sort 0 is the null job.")
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
        description =
            "Contenders out of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); stock-tuned is"
                + " stock with reducers' input kept in their heap, where it fits.")
    private List<Contender> contenders;

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
        names = "-D",
        paramLabel = "KEY=VALUE",
        description = "A key of the jobs' configuration, for all contenders. Repeatable.")
    private Map<String, String> settings = new HashMap<>();

    @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
    private Path json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Makes the workload out of the plan and where things are. */
    interface Factory {
      BenchWorkload create(BenchPlan plan, Distribution distribution, ClusterLayout layout);
    }

    private int run(Factory factory) {
      return run(factory, false);
    }

    private int run(Factory factory, boolean aboveNull) {
      PrintWriter out = spec.commandLine().getOut();
      BenchPlan plan = new BenchPlan(mb, maps, reduces, contenders, rounds, codec, settings);
      if (contenders.contains(Contender.STOCK_TUNED) && !plan.reducerInputFits()) {
        progress("stock-tuned is as stock: a reducer's input does not fit its heap");
      }
      Distribution distribution = Distribution.current();
      LocalCluster local = cluster.cluster(distribution, line -> progress("  " + line));
      boolean withSailfish = contenders.contains(Contender.SAILFISH);
      try (ClusterSession session = ClusterSession.open(local, withSailfish)) {
        ClusterState state = session.state();
        if (withSailfish && state.daemon("metaserver").isEmpty()) {
          throw new CommandException(
              "The running cluster has no Sailfish daemons: stop it, or measure with --shuffle"
                  + " stock.");
        }
        MeasuredRunner runner =
            new MeasuredRunner(distribution, local.layout(), state, line -> progress("  " + line));
        List<Bench.Entry> entries = new ArrayList<>();
        if (aboveNull && mb > 0) {
          BenchPlan none = new BenchPlan(0, maps, reduces, contenders, rounds, codec, settings);
          entries.add(new Bench.Entry(none, new PartitionedSort(none, distribution, false)));
        }
        BenchWorkload workload = factory.create(plan, distribution, local.layout());
        entries.add(new Bench.Entry(plan, workload));
        Bench bench = new Bench(entries, runner, this::progress);
        if (session.isOwner()) {
          BenchPlan small = new BenchPlan(0, 1, 1, contenders, 1, Codec.NONE, Map.of());
          bench.warmUp(new PartitionedSort(small, distribution, false));
        }
        BenchReport report = bench.run();
        out.print(report.table());
        out.flush();
        if (json != null) {
          report.writeJson(json);
        }
        return report.allValid() ? 0 : 1;
      }
    }

    private void progress(String line) {
      spec.commandLine().getErr().println(line);
    }
  }

  /** {@code sailfish bench partitioned-sort}. */
  @Command(
      name = "partitioned-sort",
      description = {
        "Random 10-byte keys and 90-byte values, hash partitioned, sorted, checked and discarded.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      },
      mixinStandardHelpOptions = true)
  static final class PartitionedSortCommand implements Callable<Integer> {
    @Mixin private Options options;

    @Option(
        names = "--comparator",
        description = "The job brings its own RawComparator, so that only clients can sort.")
    private boolean comparator;

    @Option(
        names = "--above-null",
        description =
            "Run the null job before each run too, and report the CPU time above it: what the"
                + " shuffle itself costs.")
    private boolean aboveNull;

    @Override
    public Integer call() {
      return options.run(
          (plan, distribution, layout) -> new PartitionedSort(plan, distribution, comparator),
          aboveNull);
    }
  }

  /** {@code sailfish bench wordcount}. */
  @Command(
      name = "wordcount",
      description = {
        "Hadoop's example with its combiner over real text; the outputs of all runs are compared.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      },
      mixinStandardHelpOptions = true)
  static final class WordCountCommand implements Callable<Integer> {
    @Mixin private Options options;

    @Option(
        names = "--words",
        paramLabel = "N",
        defaultValue = "0",
        description = "Replace the text's words by N others; 0 leaves them all (default: 0).")
    private int words;

    @Override
    public Integer call() {
      return options.run(
          (plan, distribution, layout) -> new WordCount(plan, distribution, layout, words));
    }
  }

  /** {@code sailfish bench terasort}. */
  @Command(
      name = "terasort",
      description = {
        "Hadoop's TeraSort over what TeraGen made, each run checked by TeraValidate.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      },
      mixinStandardHelpOptions = true)
  static final class TeraSortCommand implements Callable<Integer> {
    @Mixin private Options options;

    @Override
    public Integer call() {
      return options.run(TeraSort::new);
    }
  }

  /** {@code sailfish bench task-start}. */
  @Command(
      name = "task-start",
      description =
          "Counts the classes that a map and a reduce task of the null job load, and how long the"
              + " shuffle takes to start in them.",
      mixinStandardHelpOptions = true)
  static final class TaskStartCommand implements Callable<Integer> {
    @Mixin private ClusterOptions options;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "1",
        description = "Jobs of each contender (default: 1).")
    private int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
    private Path json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      Distribution distribution = Distribution.current();
      LocalCluster local = options.cluster(distribution, this::progress);
      try (ClusterSession session = ClusterSession.open(local, true)) {
        MeasuredRunner runner =
            new MeasuredRunner(distribution, local.layout(), session.state(), this::progress);
        TaskStart taskStart = new TaskStart(distribution, local.layout(), runner);
        for (int round = 1; round <= rounds; round++) {
          for (Contender contender : List.of(Contender.STOCK, Contender.SAILFISH)) {
            progress("round " + round + " of " + rounds + ": " + contender);
            taskStart.run(contender, round);
          }
        }
        spec.commandLine().getOut().print(taskStart.table());
        spec.commandLine().getOut().flush();
        if (json != null) {
          taskStart.writeJson(json);
        }
        return 0;
      }
    }

    private void progress(String line) {
      spec.commandLine().getErr().println("  " + line);
    }
  }
}
