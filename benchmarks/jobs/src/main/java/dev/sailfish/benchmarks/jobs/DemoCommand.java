package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.recovery.LineageDemoCommand;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.Corpus;
import dev.sailfish.benchmarks.jobs.workload.FileJob;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.cli.AddedCommand;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish demo}. */
@Command(
    name = "demo",
    subcommands = LineageDemoCommand.class,
    description = {
      "Runs jobs with stock Hadoop and with Sailfish and compares their outputs.",
      "Two jobs over real text, on a cluster of processes on this machine that is stopped again.",
      "Exit code 0 only if the outputs are equal byte for byte. `demo lineage` shows the store."
    })
public final class DemoCommand extends TerminalCommand implements AddedCommand {
  private static final int REDUCES = 3;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Work directory (default: target/demo in the project).")
  private Optional<Path> directory;

  @Option(
      names = "--shuffle",
      split = ",",
      arity = "1",
      paramLabel = "SHUFFLE",
      defaultValue = "stock,sailfish",
      description = "The two to compare (default: ${DEFAULT-VALUE}).")
  private List<Shuffle> shuffles;

  @Option(
      names = "--web",
      negatable = true,
      description = "Start the web process too (default: ${DEFAULT-VALUE}).")
  private boolean web;

  @Override
  public Integer call() throws IOException {
    if (shuffles.size() != 2) {
      throw new CommandException("--shuffle must name two shuffles but names " + shuffles + ".");
    }
    long startNs = System.nanoTime();
    PrintWriter out = out();
    Consumer<String> progress =
        line -> {
          out.printf("[%3d s] %s%n", (System.nanoTime() - startNs) / 1_000_000_000L, line);
          out.flush();
        };
    Distribution distribution = Distribution.current();
    ClusterLayout layout =
        new ClusterLayout(directory.orElse(distribution.root().resolve("target/demo")));
    LocalCluster cluster = new LocalCluster(distribution, layout, progress);
    progress.accept("starting a cluster of processes on this machine");
    SailfishOptions options = SailfishOptions.DEFAULT.withWeb(web);
    try (ClusterSession session = ClusterSession.open(cluster, options)) {
      JobJars jars = JobJars.of(distribution);
      long bytes = Corpus.unpack(jars.corpus(), layout.corpus());
      progress.accept("corpus: " + bytes + " bytes of source code in " + layout.corpus());
      List<BenchRun> runs =
          new Bench(
                  workloads(jars, layout),
                  new MeasuredRunner(session.cluster(), progress),
                  progress)
              .run();
      out.println();
      out.print(
          Report.table(
                  runs, "workload shuffle wall_s map_s reduce_s cpu_s shuffled_bytes chunks valid")
              .render());
      boolean equal = runs.stream().allMatch(BenchRun::valid);
      out.println(
          equal
              ? "All outputs are equal, byte for byte."
              : "OUTPUTS DIFFER, or a job failed: see above, and " + layout.home() + ".");
      return equal ? 0 : 1;
    }
  }

  private List<BenchWorkload> workloads(JobJars jars, ClusterLayout layout) throws IOException {
    List<Contender> contenders =
        shuffles.stream().map(shuffle -> Contender.valueOf(shuffle.name())).toList();
    BenchPlan plan = BenchPlan.small(REDUCES, contenders);
    Path files = layout.bench("demo-" + ProcessHandle.current().pid());
    Path numbers = files.resolve("line-lengths");
    Corpus.measureLines(layout.corpus(), numbers);
    return List.of(
        job(plan, "wordcount", jars, layout.corpus(), files),
        job(plan, "secondarysort", jars, numbers, files));
  }

  /** One of Hadoop's examples, as it is: nothing is set but its shuffle. */
  private static FileJob job(BenchPlan plan, String name, JobJars jars, Path input, Path outputs) {
    return new FileJob(plan, name, jars.examples(), name, input, outputs.resolve(name)) {
      @Override
      protected Map<String, String> configuration(Contender contender) {
        Map<String, String> keys = new HashMap<>(contender.shuffle().configuration());
        keys.put("mapreduce.job.reduces", Integer.toString(REDUCES));
        return keys;
      }
    };
  }
}
