package dev.sailfish.cli;

import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.DaemonStatus;
import dev.sailfish.localcluster.LocalCluster;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sailfish status}. */
@Command(
    name = "status",
    description =
        "Prints a line per daemon: name, pid, address, web address, state; what is wrong around it,"
            + " such as an address that leads nowhere; and how far chunkservers are drained. Exit"
            + " code 0 only when all are up.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
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
        show(out, daemon, DaemonStatus.of(daemon, cluster.layout()));
      }
    }
    return allUp ? 0 : 1;
  }

  /** What is wrong around a daemon, and, if it is the metaserver that leads, around the others. */
  private static void show(PrintWriter out, DaemonRecord daemon, Optional<DaemonStatus> page) {
    if (page.isEmpty()) {
      out.println("  its page /status shows nothing to this command; its log is " + daemon.log());
      return;
    }
    DaemonStatus status = page.get();
    status.warnings().forEach((subject, text) -> out.println("  warning " + subject + ": " + text));
    if (status.leads() && status.brakeIsOn()) {
      out.printf(
          "  The brake is on: %d of %d chunkservers are silent, and most are not given up yet; its"
              + " log says what to do.%n",
          status.silent(), status.live());
    }
    if (status.leads() && status.draining() > 0) {
      out.printf(
          "  chunkservers drained: %d, chunks to hand over: %d%n",
          status.draining(), status.chunksToHandOver());
    }
  }
}
