package dev.sailfish.cli;

import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.DaemonStatus;
import dev.sailfish.localcluster.LocalCluster;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sailfish status}. */
@Command(
    name = "status",
    description =
        "Prints a line per daemon: name, pid, address, web address, state; what is wrong around it,"
            + " such as an address that leads nowhere; and how far chunkservers are drained. Exit"
            + " code 0 only when all are up.")
final class StatusCommand extends TerminalCommand {
  private static final String NO_PAGE =
      "its page /status shows nothing to this command; its log is ";

  @Mixin private ClusterOptions options;

  @Override
  public Integer call() {
    PrintWriter out = out();
    LocalCluster cluster = options.cluster();
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
      if (up && state.sailfishDaemons().contains(daemon)) {
        DaemonStatus.of(daemon, cluster.layout())
            .map(DaemonStatus::remarks)
            .orElse(List.of(NO_PAGE + daemon.log()))
            .forEach(remark -> out.println("  " + remark));
      }
    }
    return allUp ? 0 : 1;
  }
}
