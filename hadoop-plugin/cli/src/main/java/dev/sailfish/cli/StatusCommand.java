package dev.sailfish.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
  private static final Duration REPLY = Duration.ofSeconds(2);
  private static final String WARNING = "warning ";

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
      if (up && state.sailfishDaemons().contains(daemon)) {
        showWarnings(out, daemon, cluster.layout());
      }
    }
    List<InetSocketAddress> metaservers =
        state.metaservers().stream()
            .filter(DaemonRecord::isRunning)
            .map(daemon -> MetaserverOptions.parse(daemon.address(), "The metaserver's address"))
            .toList();
    if (!metaservers.isEmpty()) {
      showDraining(out, metaservers, cluster.layout());
    }
    return allUp ? 0 : 1;
  }

  /** What is wrong around a daemon, as its status page says. */
  private static void showWarnings(PrintWriter out, DaemonRecord daemon, ClusterLayout layout) {
    Optional<JsonNode> page = new RestClient(daemon.web(), layout.tls()).get("/status");
    if (page.isEmpty()) {
      out.println("  its page /status shows nothing to this command; its log is " + daemon.log());
      return;
    }
    for (Map.Entry<String, JsonNode> field : page.get().properties()) {
      if (field.getKey().startsWith(WARNING)) {
        out.println("  " + field.getKey() + ": " + field.getValue().asText());
      }
    }
  }

  private static void showDraining(
      PrintWriter out, List<InetSocketAddress> metaservers, ClusterLayout layout) {
    try (MetaserverClient client =
        MetaserverClient.connect(
            MetaserverOptions.network(layout),
            metaservers,
            "sailfish status",
            Credentials.ofCluster(
                ClusterSecret.read("secret of the local cluster", layout.secret())),
            REPLY)) {
      Map<String, Long> counters = client.status().getCountersMap();
      if (counters.getOrDefault("metaserver_brake_on", 0L) > 0) {
        out.printf(
            "The brake is on: %d of %d chunkservers are silent, and most are not given up yet; the"
                + " metaserver's log says what to do.%n",
            counters.getOrDefault("metaserver_chunkservers_silent", 0L),
            counters.getOrDefault("metaserver_chunkservers_live", 0L));
      }
      long draining = counters.getOrDefault("metaserver_chunkservers_draining", 0L);
      if (draining > 0) {
        out.printf(
            "chunkservers drained: %d, chunks to hand over: %d%n",
            draining, counters.getOrDefault("metaserver_chunks_to_hand_over", 0L));
      }
    } catch (IOException e) {
      out.println("The metaserver does not tell its counters: " + e.getMessage());
    }
  }
}
