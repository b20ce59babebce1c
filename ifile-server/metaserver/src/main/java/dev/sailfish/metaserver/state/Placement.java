package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.protocol.wire.BindTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds chunks for the appenders of one BIND request.
 *
 * <p>Each bound appender reserves some logical space of its chunk, so a chunk has at most (chunk
 * bytes / reservation) of them, at least one. An appender goes to the oldest chunk of its I-file in
 * its map's home ({@link Homes}) that takes one more, so that chunks fill up one after the other,
 * else a new chunk is opened there. Homes are made of the first of these that there are any of:
 * chunkservers of the appender's rack that it can reach, of other racks that it can reach, of its
 * rack, all. Where none of them has room for a new chunk, there are no homes. The chunk of another
 * rack belongs to that rack's I-file, where the other appenders that had to go there find it.
 */
final class Placement {
  private final Job job;
  private final AttemptId attempt;
  private final String rack;
  private final ChunkserverRegistry registry;
  private final ChunkIds ids;
  private final int appendersPerChunk;
  private final List<ServerInfo> live;
  private List<String> avoided = List.of();
  private List<ServerInfo> home;
  private int opened;

  /**
   * @param rack of the attempt's host
   * @throws RequestRefusedException NO_SPACE when no chunkserver is up
   */
  Placement(
      Job job,
      AttemptId attempt,
      String rack,
      ChunkserverRegistry registry,
      ChunkIds ids,
      long reservationBytes)
      throws RequestRefusedException {
    this.job = job;
    this.attempt = attempt;
    this.rack = rack;
    this.registry = registry;
    this.ids = ids;
    this.appendersPerChunk = appendersPerChunk(job.spec().chunkBytes(), reservationBytes);
    this.live = registry.takers();
    if (live.isEmpty()) {
      throw new RequestRefusedException(
          Status.NO_SPACE,
          "no chunkserver is registered and live"
              + (registry.all().isEmpty() ? "" : " (" + unusable(registry) + ")")
              + ": start one that has this metaserver's address; job="
              + job.name());
    }
    this.home = home();
  }

  private static String unusable(ChunkserverRegistry registry) {
    int dead = registry.all().size() - registry.live().size();
    int drained = registry.draining().size();
    return dead + " are dead" + (drained == 0 ? "" : ", " + drained + " are drained");
  }

  static int appendersPerChunk(long chunkBytes, long reservationBytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, chunkBytes / reservationBytes));
  }

  /** How many chunks were opened. */
  int opened() {
    return opened;
  }

  /** Binds the attempt's appender of one partition; repeating a request gives the same chunk. */
  ChunkInfo bind(BindTarget target) {
    int partition = target.getPartition();
    ChunkInfo current = job.binding(attempt, partition);
    ChunkInfo previous = job.chunk(target.getPreviousChunk());
    boolean belongs = previous != null && previous.ifile().partition() == partition;
    if (belongs && target.getPreviousFull()) {
      previous.becomeFull();
    }
    avoid(target.getAvoidServersList());
    if (current != null) {
      boolean keep =
          current != previous && current.isBindable() && !avoided.contains(current.server().id());
      if (keep) {
        return current;
      }
      job.unbind(attempt, partition);
    }
    ChunkInfo chunk = find(partition);
    job.bind(attempt, partition, chunk);
    return chunk;
  }

  private ChunkInfo find(int partition) {
    for (Ifile ifile : job.ifiles(partition)) {
      ChunkInfo chunk = ifile.withRoom(appendersPerChunk, home);
      if (chunk != null) {
        return chunk;
      }
    }
    opened++;
    ServerInfo server = registry.pick(home, job.spec().chunkBytes());
    return job.openChunk(partition, ids.next(), server);
  }

  /** The appender could not reach these; nearly always they are those of the target before. */
  private void avoid(List<String> servers) {
    if (!servers.equals(avoided)) {
      avoided = servers;
      home = home();
    }
  }

  private List<ServerInfo> home() {
    List<ServerInfo> candidates = candidates();
    boolean near = candidates.get(0).rack().equals(rack);
    List<ServerInfo> ring = new ArrayList<>(registry.all());
    ring.removeIf(server -> server.rack().equals(rack) != near);
    Collections.rotate(ring, Math.floorMod(job.name().hashCode(), ring.size()));
    long chunks = (long) job.chunks().size() * ring.size() / registry.all().size();
    Set<ServerInfo> takers = new HashSet<>(candidates);
    takers.removeIf(server -> !server.hasRoom(job.spec().chunkBytes()));
    List<ServerInfo> servers =
        Homes.of(ring, job.spec().partitions(), chunks).of(attempt.map(), takers);
    return servers.isEmpty() ? candidates : servers;
  }

  private List<ServerInfo> candidates() {
    List<ServerInfo> reachable = new ArrayList<>(live);
    reachable.removeIf(server -> avoided.contains(server.id()));
    List<ServerInfo> near = inRack(reachable);
    if (!near.isEmpty()) {
      return near;
    }
    if (!reachable.isEmpty()) {
      return reachable;
    }
    near = inRack(live);
    return near.isEmpty() ? live : near;
  }

  private List<ServerInfo> inRack(List<ServerInfo> servers) {
    List<ServerInfo> near = new ArrayList<>(servers);
    near.removeIf(server -> !server.rack().equals(rack));
    return near;
  }
}
