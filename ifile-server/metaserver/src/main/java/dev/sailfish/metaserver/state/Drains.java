package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.HandOver;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.DrainResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties chunkservers that are to leave.
 *
 * <pre>
 *   chunk SORTED here ──▶ another server is told to fetch it ──▶ it reports it SORTED: moved
 *                              │ it could not, or is gone
 *                              └──▶ again later, perhaps elsewhere
 * </pre>
 *
 * <p>The server that is emptied keeps its copies until their jobs end or it is stopped, for readers
 * with an older plan. Part of the core: not thread-safe, without clock and I/O. Which servers leave
 * and what is copied where is the same on every peer; when a copy is tried is the leader's choice.
 */
public final class Drains {
  private static final Logger LOG = LoggerFactory.getLogger(Drains.class);
  private static final int COPIES_AT_A_TIME = 4;
  private static final long PAUSE_AFTER_FAILURE_MS = 2_000;

  private final ChunkserverRegistry registry;

  Drains(ChunkserverRegistry registry) {
    this.registry = registry;
  }

  /**
   * Begins to empty a server, and tells how far it is.
   *
   * @param name host:port, or id
   * @throws RequestRefusedException when no live server has that name
   */
  public DrainResponse drain(String name) throws RequestRefusedException {
    ServerInfo server = require(name);
    if (!server.isDraining()) {
      LOG.info("{} is drained: chunks={}", server, server.chunks().size());
      server.drain();
      for (ChunkInfo chunk : server.chunks().values()) {
        chunk.closeToBindings("its server is drained");
      }
      forgetArrivals(server);
    }
    return progress(server);
  }

  /**
   * The live server of a name.
   *
   * @throws RequestRefusedException BAD_REQUEST when there is none
   */
  public ServerInfo require(String name) throws RequestRefusedException {
    for (ServerInfo server : registry.live()) {
      if (name.equals(server.id()) || name.equals(server.host() + ":" + server.port())) {
        return server;
      }
    }
    throw new RequestRefusedException(
        Status.BAD_REQUEST,
        "no live chunkserver is registered as server='" + name + "': live=" + registry.live());
  }

  /** How many chunks a server that is drained is to hand over. */
  static int chunksLeftOn(ServerInfo server) {
    return (int) server.chunks().values().stream().filter(Drains::isToMove).count();
  }

  private static DrainResponse progress(ServerInfo server) {
    int left = chunksLeftOn(server);
    int copying = 0;
    for (ChunkInfo chunk : server.chunks().values()) {
      copying += chunk.target() != null ? 1 : 0;
    }
    return DrainResponse.newBuilder()
        .setServerId(server.id())
        .setChunksLeft(left)
        .setChunksCopying(copying)
        .setDrained(left == 0 && server.isDrainConfirmed())
        .build();
  }

  /** A chunk that never got a block is nowhere; one that is lost stays so. */
  private static boolean isToMove(ChunkInfo chunk) {
    return chunk.isReported() && chunk.state() != ChunkState.LOST;
  }

  /** How many chunks are to be handed over by all servers that are drained. */
  long chunksLeft() {
    return registry.draining().stream().mapToLong(s -> progress(s).getChunksLeft()).sum();
  }

  /** The copies that should be made next; they begin with {@link #begin}. */
  List<HandOver> due(long nowMs) {
    List<HandOver> due = new ArrayList<>();
    Map<ServerInfo, Long> promised = new HashMap<>();
    for (ServerInfo server : registry.draining()) {
      int room = COPIES_AT_A_TIME - progress(server).getChunksCopying();
      for (ChunkInfo chunk : server.chunks().values()) {
        if (room <= 0) {
          break;
        }
        HandOver copy = copy(chunk, promised, nowMs);
        if (copy != null) {
          due.add(copy);
          room--;
        }
      }
    }
    return due;
  }

  private HandOver copy(ChunkInfo chunk, Map<ServerInfo, Long> promised, long nowMs) {
    boolean due = chunk.target() == null && chunk.copyNotBeforeMs() <= nowMs;
    if (chunk.state() != ChunkState.SORTED || !due) {
      return null;
    }
    ServerInfo target = pick(chunk, promised);
    if (target == null) {
      LOG.warn("{} cannot be handed over: no other server has room for it", chunk);
      chunk.delayCopy(nowMs + PAUSE_AFTER_FAILURE_MS);
      return null;
    }
    promised.merge(target, chunk.storedBytes(), Long::sum);
    return HandOver.newBuilder()
        .setJob(chunk.ifile().job().name())
        .setChunk(chunk.id())
        .setServerId(target.id())
        .build();
  }

  /** Has a server copy a chunk, unless that makes no sense any more. */
  void begin(ChunkInfo chunk, ServerInfo target) {
    boolean leaves = chunk.server().isLive() && chunk.server().isDraining();
    boolean takes = target.isLive() && !target.isDraining();
    if (leaves && takes && chunk.target() == null && chunk.state() == ChunkState.SORTED) {
      chunk.copyTo(target);
      target.fetch(chunk);
    }
  }

  /** Of the servers with room, one in the same rack before others, and the emptiest of these. */
  private ServerInfo pick(ChunkInfo chunk, Map<ServerInfo, Long> promised) {
    String rack = chunk.server().rack();
    ServerInfo best = null;
    for (ServerInfo server : registry.takers()) {
      long free = freeBytes(server, promised);
      if (free < chunk.storedBytes()) {
        continue;
      }
      boolean near = server.rack().equals(rack);
      boolean bestNear = best != null && best.rack().equals(rack);
      boolean better = near == bestNear && best != null && free > freeBytes(best, promised);
      if (best == null || (near && !bestNear) || better) {
        best = server;
      }
    }
    return best;
  }

  private static long freeBytes(ServerInfo server, Map<ServerInfo, Long> promised) {
    long arriving = server.arriving().values().stream().mapToLong(ChunkInfo::storedBytes).sum();
    return server.freeBytes() - arriving - promised.getOrDefault(server, 0L);
  }

  /**
   * A server reports a chunk that it may have been told to fetch.
   *
   * @return whether it was, and is now the chunk's server
   */
  boolean arrived(ServerInfo server, ChunkReport report, ChunkState state) {
    ChunkInfo chunk = server.arriving().get(report.getChunk());
    if (chunk == null
        || state != ChunkState.SORTED
        || !chunk.ifile().job().name().equals(report.getJob())) {
      return false;
    }
    server.arriving().remove(chunk.id());
    chunk.moveToTarget();
    return true;
  }

  /** A server could not fetch chunks: they are tried again later. */
  void failed(ServerInfo server, List<Long> chunks, long nowMs) {
    for (long id : chunks) {
      ChunkInfo chunk = server.arriving().remove(id);
      if (chunk != null) {
        LOG.warn("{} could not be copied to {}", chunk, server);
        chunk.copyTo(null);
        chunk.delayCopy(nowMs + PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  /** A server that was fetching chunks does not know of it any more. */
  void forgetArrivals(ServerInfo server) {
    server.arriving().values().forEach(chunk -> chunk.copyTo(null));
    server.arriving().clear();
  }

  /**
   * A server came back. One that was emptied takes chunks again.
   *
   * @param confirmed whether it knew that it was to leave
   */
  void registered(ServerInfo server, boolean confirmed) {
    forgetArrivals(server);
    if (server.isDraining() && confirmed && progress(server).getChunksLeft() == 0) {
      LOG.info("{} was drained and takes chunks again", server);
      server.endDrain();
    }
  }

  /** A chunk is lost, or its job ends: who is copying it has nothing of it. */
  void forget(ChunkInfo chunk) {
    if (chunk.target() != null) {
      chunk.target().arriving().remove(chunk.id());
      chunk.target().deleteChunk(chunk.id());
      chunk.copyTo(null);
    }
  }
}
