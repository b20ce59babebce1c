package dev.sailfish.web.source.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What an operator should do, for each state that is not healthy: a function of what is shown. */
final class Advices {
  private static final int FULL_PERCENT = 90;
  private static final long BACKLOG_CHUNKS = 100;
  private static final long DAY_MS = 86_400_000;
  private static final long CERTIFICATE_DAYS = 30;

  private Advices() {}

  /**
   * In the order of the servers; those of the cluster come first.
   *
   * @param nowMs milliseconds since 1970
   */
  static List<Advice> of(List<ServerRow> servers, String brake, long nowMs) {
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
    servers.forEach(
        server -> {
          add(server, all);
          certificate(server, nowMs).ifPresent(all::add);
        });
    return all;
  }

  private static Optional<Advice> certificate(ServerRow server, long nowMs) {
    if (!server.up() || server.certificateEndMs() == null) {
      return Optional.empty();
    }
    long left = server.certificateEndMs() - nowMs;
    String what = "renew it, and start the server again.";
    if (left <= 0) {
      return Optional.of(
          new Advice(Advice.BAD, server.name(), "Its certificate has ended: " + what));
    }
    long days = left / DAY_MS;
    String when = days == 0 ? "within a day" : "in " + days + (days == 1 ? " day" : " days");
    return days >= CERTIFICATE_DAYS
        ? Optional.empty()
        : Optional.of(
            new Advice(Advice.WATCH, server.name(), "Its certificate ends " + when + ": " + what));
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
