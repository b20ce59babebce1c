package dev.sailfish.benchmarks.jobs.recovery;

import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish demo lineage}. */
@Command(
    name = "lineage",
    description = {
      "Loses files of the lineage store and reads them.",
      "Three of Hadoop's example jobs, one after the other, write to the store of a cluster of"
          + " processes on this machine. The worker that has most of the result is killed, the"
          + " result is read all the same, and a table says what ran again for that, and what it"
          + " would have cost with HDFS. All is stopped again.",
      "Exit code 0 only if all files are what they were, byte for byte."
    })
public final class LineageDemoCommand extends TerminalCommand {
  private static final int WORKERS = 2;

  /** A worker's silence is noticed sooner than by default, so that the demo is short. */
  private static final Map<String, String> KEYS =
      Map.of("sailfish.lineage.master.worker.lease", "4s");

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Work directory (default: target/demo-lineage in the project).")
  private Optional<Path> directory;

  @Option(
      names = "--hdfs",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Run the jobs on HDFS as well, to compare (default: ${DEFAULT-VALUE}).")
  private boolean hdfs;

  @Option(
      names = "--web",
      negatable = true,
      description = "Start the web process too (default: ${DEFAULT-VALUE}).")
  private boolean web;

  @Override
  public Integer call() throws IOException {
    Distribution distribution = Distribution.current();
    ClusterLayout layout =
        new ClusterLayout(directory.orElse(distribution.root().resolve("target/demo-lineage")));
    Consumer<String> progress = progress(out());
    LocalCluster cluster = new LocalCluster(distribution, layout, progress);
    SailfishOptions options =
        new SailfishOptions(
            SailfishOptions.DEFAULT_METASERVERS,
            1,
            SailfishOptions.DEFAULT_LINEAGE_MASTERS,
            WORKERS,
            web,
            KEYS);
    progress.accept("starting a cluster of processes on this machine");
    try (ClusterSession session = ClusterSession.open(cluster, options)) {
      if (!session.isOwner()) {
        throw new CommandException(
            "A cluster runs in "
                + layout.home()
                + ", and the demo would kill one of its workers: stop it, or name another --dir.");
      }
      return new LineageDemo(cluster, hdfs, progress, out()).run() ? 0 : 1;
    }
  }

  private static Consumer<String> progress(PrintWriter out) {
    long startNs = System.nanoTime();
    return line -> {
      out.printf("[%3d s] %s%n", (System.nanoTime() - startNs) / 1_000_000_000L, line);
      out.flush();
    };
  }
}
