package dev.sailfish.cli;

import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish start}. */
@Command(
    name = "start",
    description =
        "Starts a local cluster: Hadoop's and Sailfish's daemons as processes on this machine.")
final class StartCommand extends TerminalCommand {
  @Mixin private ClusterOptions options;

  @Option(
      names = "--metaservers",
      paramLabel = "N",
      description =
          "How many metaservers to start, an odd number; of three, any one may fail"
              + " (default: ${DEFAULT-VALUE}).")
  private int metaservers = SailfishOptions.DEFAULT_METASERVERS;

  @Option(
      names = "--chunkservers",
      paramLabel = "N",
      description = "How many chunkservers to start (default: ${DEFAULT-VALUE}).")
  private int chunkservers = SailfishOptions.DEFAULT_CHUNKSERVERS;

  @Option(
      names = "--lineage-masters",
      paramLabel = "N",
      description =
          "How many masters of the lineage store to start, an odd number; of three, any one may"
              + " fail (default: ${DEFAULT-VALUE}).")
  private int lineageMasters = SailfishOptions.DEFAULT_LINEAGE_MASTERS;

  @Option(
      names = "--lineage-workers",
      paramLabel = "N",
      description =
          "How many workers of the lineage store to start; 0: no store"
              + " (default: ${DEFAULT-VALUE}).")
  private int lineageWorkers = 1;

  @Option(
      names = "--web",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Start the web process, whose address is the last line (default: ${DEFAULT-VALUE}).")
  private boolean web;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description =
          "Set a key of the metaserver (sailfish.metaserver.…), of all chunkservers"
              + " (sailfish.chunkserver.…), of the lineage store (sailfish.lineage.master.…,"
              + " sailfish.lineage.worker.…), of the workflow manager (sailfish.workflow.…), of the web"
              + " process (sailfish.web.…) or of Hadoop (any other).")
  private Map<String, String> keys = new HashMap<>();

  @Override
  public Integer call() {
    PrintWriter out = out();
    Map<String, String> hadoop = new HashMap<>(keys);
    hadoop.keySet().removeIf(key -> key.startsWith("sailfish."));
    keys.keySet().removeAll(hadoop.keySet());
    LocalCluster cluster = options.cluster(out::println);
    cluster.start(
        new SailfishOptions(metaservers, chunkservers, lineageMasters, lineageWorkers, web, keys),
        hadoop);
    cluster.leaveRunning();
    ClusterState state = cluster.state();
    int daemons = state.daemons().size();
    out.printf("The local cluster is up: %d daemons in %s%n", daemons, cluster.layout().home());
    out.println("Configuration for other clients: HADOOP_CONF_DIR=" + cluster.layout().conf());
    state
        .web()
        .ifPresent(process -> out.println("Jobs, cluster and store: " + process.web() + "/"));
    return 0;
  }
}
