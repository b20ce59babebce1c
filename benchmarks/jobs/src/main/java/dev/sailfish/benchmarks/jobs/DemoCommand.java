package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.cli.AddedCommand;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sailfish demo}. */
@Command(
    name = "demo",
    description = {
      "Runs jobs with stock Hadoop and with Sailfish and compares their outputs.",
      "Two jobs over real text, on a cluster of processes on this machine that is stopped again.",
      "Exit code 0 only if the outputs are equal byte for byte."
    },
    mixinStandardHelpOptions = true)
public final class DemoCommand implements AddedCommand {
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

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (shuffles.size() != 2) {
      throw new CommandException("--shuffle must name two shuffles but names " + shuffles + ".");
    }
    long startNs = System.nanoTime();
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> progress =
        line -> {
          out.printf("[%3d s] %s%n", (System.nanoTime() - startNs) / 1_000_000_000L, line);
          out.flush();
        };
    Distribution distribution = Distribution.current();
    ClusterLayout layout =
        new ClusterLayout(directory.orElse(distribution.root().resolve("target/demo")));
    LocalCluster cluster = new LocalCluster(distribution, layout, progress);
    Demo demo = new Demo(distribution, layout, progress);
    progress.accept("starting a cluster of processes on this machine");
    try (ClusterSession session =
        ClusterSession.open(cluster, shuffles.contains(Shuffle.SAILFISH))) {
      demo.unpackCorpus();
      demo.runAll(shuffles, new MeasuredRunner(distribution, layout, session.state(), progress));
    }
    out.println();
    out.print(demo.table());
    out.println(demo.verdict());
    return demo.isEqual() ? 0 : 1;
  }
}
