package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.metaserver.wire.ServerUse;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the core that chunkservers talk to: what they tell, what they have to be told, and
 * what becomes of those that are silent.
 */
public final class ChunkserverDesk {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkserverDesk.class);
  private static final int MAX_NAME_CHARS = 255;
  private static final int MAX_PORT = 0xffff;

  private final ChunkserverRegistry registry;
  private final Drains drains;
  private final ChunkIds ids;
  private final Metrics<MetaserverMetric> metrics;
  private final long deadAfterMs;
  private final long massDeadAfterMs;
  private Brake brake;
  private boolean leading;

  ChunkserverDesk(
      ChunkserverRegistry registry,
      Drains drains,
      ChunkIds ids,
      Metrics<MetaserverMetric> metrics,
      long deadAfterMs,
      long massDeadAfterMs) {
    this.registry = registry;
    this.drains = drains;
    this.ids = ids;
    this.metrics = metrics;
    this.deadAfterMs = deadAfterMs;
    this.massDeadAfterMs = massDeadAfterMs;
    this.brake = newBrake();
  }

  private Brake newBrake() {
    return new Brake(deadAfterMs, massDeadAfterMs, heartbeatMs());
  }

  /**
   * How long a heartbeat may be kept waiting, so that a waiting server does not count as silent.
   */
  public long heartbeatMs() {
    return Math.max(1, Math.min(10_000, deadAfterMs / 3));
  }

  /** This metaserver leads: every chunkserver has a new period to be heard in, and registers. */
  void lead(long nowMs) {
    leading = true;
    brake = newBrake();
    registry.all().forEach(server -> server.awaitFrom(nowMs));
  }

  /** This metaserver leads no more. */
  void follow() {
    leading = false;
    brake = newBrake();
    registry.all().forEach(ServerInfo::forgetSession);
  }

  /** Decides which silent chunkservers are given up; of the leader. */
  public Brake brake() {
    return brake;
  }

  /** Whether a chunkserver has told this leader that it knows that it is to leave. */
  public boolean isDrainConfirmed(String serverId) {
    ServerInfo server = registry.find(serverId);
    return server != null && server.isDrainConfirmed();
  }

  /**
   * A chunkserver joins, or comes back, and tells all it holds.
   *
   * @param drainConfirmed what the leader's {@link #isDrainConfirmed} says
   */
  RegisterChunkserverResponse register(
      RegisterChunkserverRequest request, String rack, boolean drainConfirmed, long nowMs)
      throws RequestRefusedException {
    checkNames(request);
    List<ReportedChunk> reports = ReportedChunk.listOf(request.getChunksList());
    ServerInfo server = registry.findOrAdd(request.getServerId());
    server.registered(request, rack, leading, nowMs);
    metrics.increment(MetaserverMetric.REGISTRATIONS);
    RegisterChunkserverResponse.Builder response =
        RegisterChunkserverResponse.newBuilder().setRack(rack).setHeartbeatMs((int) heartbeatMs());
    Set<Long> held = new HashSet<>();
    for (ReportedChunk report : reports) {
      ids.observe(report.id());
      if (apply(server, report)) {
        held.add(report.id());
      } else {
        response.addUnknownChunks(report.id());
      }
    }
    drains.registered(server, drainConfirmed);
    int lost = 0;
    for (ChunkInfo chunk : server.chunks().values()) {
      boolean gone = chunk.isReported() && !held.contains(chunk.id());
      if (gone && chunk.state() != ChunkState.LOST) {
        lose(chunk, "its server came back without it");
        lost++;
      }
    }
    LOG.info(
        "registered {}: chunks={} of which unknown={}, lost={}",
        server,
        request.getChunksCount(),
        response.getUnknownChunksCount(),
        lost);
    return response.build();
  }

  /** One chunk as its server sees it, decoded. */
  private record ReportedChunk(ChunkReport wire, ChunkState state) {
    /**
     * Decodes what a server tells.
     *
     * @throws RequestRefusedException BAD_REQUEST when there is no such state
     */
    static List<ReportedChunk> listOf(List<ChunkReport> wire) throws RequestRefusedException {
      List<ReportedChunk> reports = new ArrayList<>(wire.size());
      for (ChunkReport report : wire) {
        try {
          reports.add(new ReportedChunk(report, ChunkState.ofCode(report.getState())));
        } catch (ProtocolException e) {
          throw new RequestRefusedException(
              Status.BAD_REQUEST,
              e.getMessage() + ": chunk=" + Long.toHexString(report.getChunk()));
        }
      }
      return reports;
    }

    long id() {
      return wire.getChunk();
    }
  }

  private static void checkNames(RegisterChunkserverRequest request)
      throws RequestRefusedException {
    int id = request.getServerId().length();
    int host = request.getHost().length();
    boolean named = id > 0 && id <= MAX_NAME_CHARS && host > 0 && host <= MAX_NAME_CHARS;
    if (!named || request.getPort() < 1 || request.getPort() > MAX_PORT) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          ("a chunkserver needs server_id and host of 1 to %s characters and a port in 1..%s:"
                  + " characters of id=%s of host=%s port=%s")
              .formatted(
                  MAX_NAME_CHARS, MAX_PORT, id, host, Integer.toUnsignedString(request.getPort())));
    }
  }

  /** A chunkserver tells what has changed; of one that must register first, nothing is taken. */
  void report(Reports told, long nowMs) throws RequestRefusedException {
    List<ReportedChunk> reports = ReportedChunk.listOf(told.getChunksList());
    ServerInfo server = registry.find(told.getServerId());
    if (server == null || !server.isLive()) {
      return;
    }
    drains.failed(server, told.getUnfetchedList(), nowMs);
    for (ReportedChunk report : reports) {
      boolean applied = apply(server, report);
      boolean known = server.chunks().containsKey(report.id());
      if (!applied && (report.state() != ChunkState.LOST || !known)) {
        server.deleteChunk(report.id());
      }
    }
  }

  /**
   * A chunkserver is heard; what it says of chunks is for {@link #report}. What it must be told
   * comes from {@link #takeCommands}.
   *
   * @param session names the connection; see {@link ServerInfo}
   * @return false when it must register first
   */
  boolean heartbeat(HeartbeatRequest request, String session, long nowMs) {
    metrics.increment(MetaserverMetric.HEARTBEATS);
    ServerInfo server = registry.find(request.getServerId());
    if (!isMet(server)) {
      return false;
    }
    server.heard(request, session, nowMs);
    return true;
  }

  private static boolean isMet(ServerInfo server) {
    return server != null && server.isLive() && server.isMet();
  }

  /** Whether a chunkserver has registered with this leader, and was not given up since. */
  public boolean isMet(String serverId) {
    return isMet(registry.find(serverId));
  }

  /** Whether a chunkserver's heartbeat should be answered at once. */
  public boolean hasNews(String serverId) {
    ServerInfo server = registry.find(serverId);
    return !isMet(server) || server.hasCommands();
  }

  /** What live chunkservers use, where that is not what the journal says. */
  public List<ServerUse> freshUses() {
    List<ServerUse> uses = new ArrayList<>();
    for (ServerInfo server : registry.live()) {
      if (server.heardUsed() != server.used()) {
        uses.add(
            ServerUse.newBuilder()
                .setServerId(server.id())
                .setUsedBytes(server.heardUsed())
                .build());
      }
    }
    return uses;
  }

  /** From here on a chunkserver counts as having used so much. */
  void uses(String serverId, long bytes) {
    ServerInfo server = registry.find(serverId);
    if (server != null) {
      server.uses(bytes);
    }
  }

  /** What a chunkserver has to be told now; empty when there is nothing. */
  public HeartbeatResponse takeCommands(String serverId) {
    ServerInfo server = registry.find(serverId);
    if (!isMet(server)) {
      return HeartbeatResponse.newBuilder().setRegisterAgain(true).build();
    }
    return server.takeCommands();
  }

  /** Takes a report over; returns false when the chunk should not be there. */
  private boolean apply(ServerInfo server, ReportedChunk report) {
    if (drains.arrived(server, report.wire(), report.state())) {
      return true;
    }
    ChunkInfo chunk = server.chunks().get(report.id());
    if (chunk == null
        || chunk.state() == ChunkState.LOST
        || !chunk.ifile().job().name().equals(report.wire().getJob())) {
      return false;
    }
    if (report.state() == ChunkState.LOST) {
      LOG.warn("{} is lost, its server says so", chunk);
      lose(chunk, "its server says so");
    } else {
      chunk.apply(report.wire(), report.state());
    }
    return true;
  }

  private void lose(ChunkInfo chunk, String reason) {
    chunk.become(ChunkState.LOST, reason);
    drains.forget(chunk);
    metrics.increment(MetaserverMetric.CHUNK_LOSSES);
  }

  /** Gives a chunkserver up, if it is live, and all it holds. */
  void serverDied(ServerDied died) {
    ServerInfo server = registry.find(died.getServerId());
    if (server == null || !server.isLive()) {
      return;
    }
    metrics.increment(MetaserverMetric.CHUNKSERVERS_DIED);
    LOG.warn(
        "{} is dead: no heartbeat in {} ms, its chunks={} are lost",
        server,
        died.getSilentMs(),
        server.chunks().size());
    server.died();
    drains.forgetArrivals(server);
    for (ChunkInfo chunk : server.chunks().values()) {
      if (chunk.state() != ChunkState.LOST) {
        lose(chunk, "its server is dead");
      }
    }
    registry.forgetDead();
  }
}
