package dev.sailfish.metaserver.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The chunkservers that have registered, by id. */
public final class ChunkserverRegistry {
  private final Map<String, ServerInfo> servers = new TreeMap<>();
  private long picks;

  /** The server with this id, or null when it never registered. */
  ServerInfo find(String id) {
    return servers.get(id);
  }

  ServerInfo findOrAdd(String id) {
    return servers.computeIfAbsent(id, ServerInfo::new);
  }

  /** All, by id. */
  Collection<ServerInfo> all() {
    return Collections.unmodifiableCollection(servers.values());
  }

  /** Those that are live, by id. */
  public List<ServerInfo> live() {
    List<ServerInfo> live = new ArrayList<>();
    for (ServerInfo server : servers.values()) {
      if (server.isLive()) {
        live.add(server);
      }
    }
    return live;
  }

  /** Where those are, by id; a copy. */
  public List<ServerInfo.Place> places() {
    return live().stream().map(ServerInfo::place).toList();
  }

  /** Live servers that new chunks may be given to, by id. */
  List<ServerInfo> takers() {
    List<ServerInfo> takers = live();
    takers.removeIf(ServerInfo::isDraining);
    return takers;
  }

  /** Live servers that are to leave, by id. */
  List<ServerInfo> draining() {
    List<ServerInfo> draining = live();
    draining.removeIf(server -> !server.isDraining());
    return draining;
  }

  /** How often a server was picked. */
  long picks() {
    return picks;
  }

  /** Goes on where a snapshot was taken. */
  void restorePicks(long count) {
    picks = count;
  }

  /** Forgets dead servers that nothing refers to. */
  void forgetDead() {
    servers.values().removeIf(server -> !server.isLive() && server.chunks().isEmpty());
  }

  /**
   * Picks the server for a new chunk: one with room for it before one without; then the one with
   * the fewest chunks that take appenders; then the one that was picked longest ago, so that
   * consecutive partitions spread. Where none has room, the one with the most.
   *
   * @param candidates at least one
   */
  ServerInfo pick(List<ServerInfo> candidates, long chunkBytes) {
    ServerInfo best = candidates.get(0);
    for (ServerInfo server : candidates) {
      if (isBetter(server, best, chunkBytes)) {
        best = server;
      }
    }
    best.chosen(++picks);
    return best;
  }

  private static boolean isBetter(ServerInfo server, ServerInfo than, long chunkBytes) {
    boolean room = server.hasRoom(chunkBytes);
    if (room != than.hasRoom(chunkBytes)) {
      return room;
    }
    if (!room && server.freeBytes() != than.freeBytes()) {
      return server.freeBytes() > than.freeBytes();
    }
    if (server.bindableChunks() != than.bindableChunks()) {
      return server.bindableChunks() < than.bindableChunks();
    }
    return server.lastChosen() < than.lastChosen();
  }
}
