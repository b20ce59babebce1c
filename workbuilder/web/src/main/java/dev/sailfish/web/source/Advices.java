package dev.sailfish.web.source;

import java.util.ArrayList;
import java.util.List;

/** What an operator should do, for each state that is not healthy: a function of what is shown. */
final class Advices {
  private static final int FULL_PERCENT = 90;
  private static final long BACKLOG_CHUNKS = 100;

  private Advices() {}

  /** In the order of the servers; those of the cluster come first. */
  static List<Advice> of(List<ServerRow> servers, String brake) {
    List<Advice> all = new ArrayList<>();
    if (!brake.isEmpty()) {
      all.add(new Advice(Advice.BAD, "", brake));
    }
    if (isWithoutLeader(servers)) {
      all.add(
          new Advice(
              Advice.BAD,
              "",
              "No metaserver leads: jobs wait until most of the metaservers run and hear each"
                  + " other."));
    }
    servers.forEach(server -> add(server, all));
    return all;
  }

  private static boolean isWithoutLeader(List<ServerRow> servers) {
    return servers.stream().anyMatch(server -> server.kind().equals(ServerKinds.METASERVER))
        && servers.stream()
            .noneMatch(server -> server.kind().equals(ServerKinds.METASERVER) && server.leads());
  }

  private static void add(ServerRow server, List<Advice> all) {
    if (!server.up()) {
      all.add(
          new Advice(
              Advice.BAD,
              server.name(),
              "It does not answer: look whether its process runs on " + server.address() + "."));
      return;
    }
    server.failing().forEach(text -> all.add(new Advice(Advice.BAD, server.name(), text)));
    server.warnings().forEach(text -> all.add(new Advice(Advice.WATCH, server.name(), text)));
    for (Tier tier : server.tiers()) {
      if (tier.capacityBytes() > 0
          && tier.usedBytes() / (tier.capacityBytes() / 100.0) >= FULL_PERCENT) {
        all.add(
            new Advice(
                Advice.WATCH,
                server.name(),
                "Its "
                    + tier.name()
                    + " tier is over "
                    + FULL_PERCENT
                    + " % full: give it more room, or let fewer jobs run at once."));
      }
    }
    if (server.backlogChunks() != null && server.backlogChunks() >= BACKLOG_CHUNKS) {
      all.add(
          new Advice(
              Advice.WATCH,
              server.name(),
              server.backlogChunks()
                  + " chunks wait to be sorted here: give it more sorter threads, or add a"
                  + " chunkserver."));
    }
    if (server.draining()) {
      all.add(
          new Advice(
              Advice.WATCH,
              server.name(),
              server.chunksLeft() == null || server.chunksLeft() > 0
                  ? "It is being drained: leave it running until nothing is left on it."
                  : "It is drained: it may be stopped."));
    }
  }
}
