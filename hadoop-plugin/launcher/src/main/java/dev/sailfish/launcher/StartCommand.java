package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.ClusterState;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.cluster.LocalCluster;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sailfish start}. */
@Command(
    name = "start",
    description =
        "Starts a local cluster: Hadoop's and Sailfish's daemons as processes on this machine.",
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options;

  @Option(names = "--stock-only", description = "Start Hadoop's daemons only.")
  private boolean stockOnly;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    LocalCluster cluster = options.cluster(Distribution.current(), out::println);
    Thread hook = new Thread(cluster::stopIfStarted, "stop-cluster");
    Runtime.getRuntime().addShutdownHook(hook); // an interrupted start leaves nothing behind
    cluster.start(!stockOnly);
    Runtime.getRuntime().removeShutdownHook(hook); // from here on it runs without this process
    ClusterState state = cluster.state();
    out.println(
        "The local cluster is up: "
            + state.daemons().size()
            + " daemons in "
            + cluster.layout().home());
    out.println("Configuration for other clients: HADOOP_CONF_DIR=" + cluster.layout().conf());
    return 0;
  }
}
