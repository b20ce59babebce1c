package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.ClusterState;
import dev.sailfish.launcher.cluster.DaemonRecord;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.cluster.LocalCluster;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sailfish status}. */
@Command(
    name = "status",
    description =
        "Prints a line per daemon: name, pid, address, web address, state. Exit code 0 only when"
            + " all are up.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    LocalCluster cluster = options.cluster(Distribution.current(), line -> {});
    ClusterState state = cluster.recordedState();
    if (state.daemons().isEmpty()) {
      out.println("No local cluster in " + cluster.layout().home() + ".");
      return 1;
    }
    boolean allUp = true;
    for (DaemonRecord daemon : state.daemons()) {
      boolean up = daemon.isRunning() && daemon.answers();
      allUp &= up;
      out.printf(
          "%-16s %8d %-22s %-30s %s%n",
          daemon.name(),
          daemon.pid(),
          daemon.address(),
          daemon.web(),
          up ? "up" : "DOWN, see " + daemon.log());
    }
    return allUp ? 0 : 1;
  }
}
