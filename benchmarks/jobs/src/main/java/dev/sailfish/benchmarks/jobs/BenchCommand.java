package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.qfs.QfsCommand;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.OwnWork;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.benchmarks.jobs.workload.TeraSort;
import dev.sailfish.benchmarks.jobs.workload.WordCount;
import dev.sailfish.cli.AddedCommand;
import dev.sailfish.cli.ClusterOptions;
import dev.sailfish.cli.MasterOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.ReduceWork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish bench}: benchmarks are its sub-commands. */
@Command(
    name = "bench",
    description = "Runs a benchmark on the local cluster, which is started for it unless it runs.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BenchCommand.PartitionedSortCommand.class,
      BenchCommand.WordCountCommand.class,
      BenchCommand.TeraSortCommand.class,
      LossCommand.class,
      WorkloadsCommand.class,
      StoreCommand.class,
      SparkCommand.class,
      FailoverCommand.class,
      MountainCommand.class,
      TwoLevelSortCommand.class,
      PipelineCommand.class,
      RecordingCommand.class,
      WebWatchCommand.class,
      QfsCommand.class,
      BenchCommand.TaskStartCommand.class
    },
    synopsisSubcommandLabel = "BENCHMARK")
public final class BenchCommand implements AddedCommand {
  /** What all benchmarks are told, and how they begin and end. */
  abstract static class Benchmark extends TerminalCommand {
    @Mixin private ClusterOptions cluster;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "1",
        description = "Runs of each contender (default: 1).")
    int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
    private Path json;

    @Option(
        names = "--web",
        negatable = true,
        description =
            "Start the web process too, on a cluster that is started for this; the processor time"
                + " that it takes is in no figure (default: ${DEFAULT-VALUE}).")
    private boolean web;

    final Integer onCluster() throws IOException {
      LocalCluster local = cluster.cluster(line -> progress("  " + line));
      SailfishOptions servers = servers().withWeb(web || isOfWeb());
      try (ClusterSession session = ClusterSession.open(local, servers, hadoop())) {
        return measure(session, new MeasuredRunner(local, line -> progress("  " + line))) ? 0 : 1;
      }
    }

    /** The daemons of a cluster that is started for it. */
    SailfishOptions servers() {
      return SailfishOptions.DEFAULT;
    }

    /** Whether it is the web process that is measured. */
    boolean isOfWeb() {
      return false;
    }

    /** Keys of Hadoop's configuration on a cluster that is started for it. */
    Map<String, String> hadoop() {
      return Map.of();
    }

    /** Measures and shows what came out; returns whether all of it was valid. */
    abstract boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException;

    final void show(String table, JsonNode report) {
      out().print(table);
      out().flush();
      if (json != null) {
        Report.write(json, report);
      }
    }

    final void progress(String line) {
      err().println(line);
    }
  }

  /** What benchmarks of contenders are told of these. */
  abstract static class Contest extends Benchmark {
    @Mixin private MasterOptions master;

    @Option(
        names = "--shuffle",
        split = ",",
        paramLabel = "SHUFFLE",
        defaultValue = "stock,sailfish",
        description =
            "Contenders out of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); stock-tuned is"
                + " stock with reducers' input kept in their heap, where it fits; sailfish is as"
                + " --reduce-work and --warm-tasks say, the others of Sailfish are in its"
                + " ApplicationMaster with warm tasks isolated, shared and off.")
    private List<Contender> contenders;

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

    /** What Sailfish's jobs want of their ApplicationMaster. */
    final MasterChoice master() {
      return master.choice();
    }

    /** A job for these contenders. */
    final BenchPlan plan(int mb, int maps, int reduces) {
      return new BenchPlan(mb, maps, reduces, contenders, rounds, codec, master.choice(), settings);
    }
  }

  /** What benchmarks of one job are told of it. */
  abstract static class Comparison extends Contest {
    @Option(
        names = "--mb",
        paramLabel = "N",
        required = true,
        description = "Megabytes of input; for partitioned-sort 0 is the null job.")
    private int mb;

    @Option(names = "--maps", paramLabel = "N", required = true, description = "Map tasks.")
    private int maps;

    @Option(
        names = "--reduces",
        paramLabel = "N",
        required = true,
        description = "Reduce tasks; default: the job does not say how many.")
    private String reduces;

    private BenchPlan plan;

    @Override
    public final Integer call() throws IOException {
      check();
      plan = plan(mb, maps, reduces());
      if (plan.contenders().contains(Contender.STOCK_TUNED) && !plan.reducerInputFits()) {
        progress("stock-tuned is as stock: a reducer's input does not fit its heap");
      }
      return onCluster();
    }

    /** Refuses what cannot be measured. */
    void check() {}

    private int reduces() {
      try {
        int number = reduces.equals("default") ? 0 : Integer.parseInt(reduces);
        if (number > 0 || reduces.equals("default")) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new CommandException("--reduces is a number above 0 or default, not " + reduces + ".");
    }

    /** What was asked for. */
    final BenchPlan plan() {
      return plan;
    }
  }

  /** A bench of one workload. */
  abstract static class WorkloadCommand extends Comparison {
    @Option(
        names = "--warm-up",
        paramLabel = "N",
        defaultValue = "0",
        description =
            "Run the job N times before the rounds, as the first of Sailfish's contenders, so that"
                + " the daemons' code is compiled; these runs are reported apart (default: 0).")
    private int warmUp;

    abstract BenchWorkload workload(BenchPlan plan, JobJars jars, ClusterLayout layout);

    /** The jobs that each run is compared with, in the order in which they run before it. */
    List<BenchWorkload> beside(JobJars jars) {
      return List.of();
    }

    @Override
    void check() {
      if (warmUp < 0) {
        throw new CommandException("--warm-up is a number from 0 on, not " + warmUp + ".");
      }
    }

    @Override
    final boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
      JobJars jars = JobJars.of(session.cluster().distribution());
      List<BenchWorkload> workloads = new ArrayList<>(beside(jars));
      workloads.add(workload(plan(), jars, session.cluster().layout()));
      Bench bench = new Bench(workloads, runner, this::progress);
      if (session.isOwner()) {
        bench.warmUp(new PartitionedSort(BenchPlan.small(1, plan().contenders()), jars, false, 0));
      }
      List<BenchRun> warmUps = bench.warmUp(warmUp);
      BenchReport report = BenchReport.of(plan(), warmUps, bench.run());
      show(report.table(), report.json());
      return report.allValid();
    }
  }

  /** {@code sailfish bench partitioned-sort}. */
  @Command(
      name = "partitioned-sort",
      description = {
        "Random 10-byte keys and 90-byte values, hash partitioned, sorted, checked and discarded.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      })
  static final class PartitionedSortCommand extends WorkloadCommand {
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

    @Option(
        names = "--own-work",
        description =
            "Run the job without any shuffle before each run too, and report the CPU time above it:"
                + " maps serialize into nothing, reduces check records that are made for them in"
                + " order.")
    private boolean ownWork;

    @Option(
        names = "--heavy",
        paramLabel = "N",
        defaultValue = "0",
        description = "The first N partitions get nine times what the others do (default: 0).")
    private int heavy;

    @Override
    BenchWorkload workload(BenchPlan plan, JobJars jars, ClusterLayout layout) {
      return sort(plan, jars);
    }

    private PartitionedSort sort(BenchPlan plan, JobJars jars) {
      return new PartitionedSort(plan, jars, comparator, heavy);
    }

    @Override
    List<BenchWorkload> beside(JobJars jars) {
      List<BenchWorkload> beside = new ArrayList<>();
      if (aboveNull && plan().mb() > 0) {
        beside.add(new PartitionedSort(plan().withoutRecords(), jars, false, heavy));
      }
      if (ownWork) {
        beside.add(new OwnWork(sort(plan(), jars)));
      }
      return beside;
    }

    @Override
    void check() {
      super.check();
      if (ownWork && master().reduceWork() == ReduceWork.AUTO) {
        throw new CommandException(
            "--own-work needs jobs with as many reduce tasks as --reduces says: leave --reduce-work"
                + " auto out.");
      }
    }
  }

  /** {@code sailfish bench wordcount}. */
  @Command(
      name = "wordcount",
      description = {
        "Hadoop's example with its combiner over real text; the outputs of all runs are compared.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      })
  static final class WordCountCommand extends WorkloadCommand {
    @Option(
        names = "--words",
        paramLabel = "N",
        defaultValue = "0",
        description = "Replace the text's words by N others; 0 leaves them all (default: 0).")
    private int words;

    @Override
    BenchWorkload workload(BenchPlan plan, JobJars jars, ClusterLayout layout) {
      return new WordCount(plan, jars, layout, words);
    }
  }

  /** {@code sailfish bench terasort}. */
  @Command(
      name = "terasort",
      description = {
        "Hadoop's TeraSort over what TeraGen made, each run checked by TeraValidate.",
        "Contenders take turns within each round. Exit code 0 only if every run was valid."
      })
  static final class TeraSortCommand extends WorkloadCommand {
    @Override
    BenchWorkload workload(BenchPlan plan, JobJars jars, ClusterLayout layout) {
      return new TeraSort(plan, jars, layout);
    }
  }

  /** {@code sailfish bench task-start}. */
  @Command(
      name = "task-start",
      description =
          "Counts the classes that a map and a reduce task of the null job load, and how long the"
              + " shuffle takes to start in them.")
  static final class TaskStartCommand extends Benchmark {
    @Override
    public Integer call() throws IOException {
      return onCluster();
    }

    @Override
    boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
      TaskStart taskStart = new TaskStart(session.cluster(), runner);
      List<TaskStart.Start> starts = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        for (Contender contender : List.of(Contender.STOCK, Contender.SAILFISH)) {
          progress("  round " + round + " of " + rounds + ": " + contender);
          starts.add(taskStart.run(contender, round));
        }
      }
      show(
          Report.table(starts, TaskStart.COLUMNS).render(),
          Report.JSON.createObjectNode().set("starts", Report.rows(starts)));
      return true;
    }
  }
}
