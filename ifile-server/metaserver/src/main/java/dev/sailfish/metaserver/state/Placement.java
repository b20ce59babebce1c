package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.protocol.wire.BindTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Finds chunks for the appenders of one BIND request.
 *
 * <p>Each bound appender reserves some logical space of its chunk, so a chunk has at most (chunk
 * bytes / reservation) of them, at least one. An appender goes to the oldest chunk of its I-file
 * that takes one more, so that chunks fill up one after the other, else a new chunk is opened.
 * Chunkservers are looked at in this order: those of the appender's rack that it can reach, those
 * of any rack that it can reach, those of its rack, all. The chunk of another rack belongs to that
 * rack's I-file, where the other appenders that had to go there find it.
 */
final class Placement {
  private final Job job;
  private final String rack;
  private final ChunkserverRegistry registry;
  private final ChunkIds ids;
  private final int appendersPerChunk;
  private final List<ServerInfo> live;
  private final List<ServerInfo> unrestricted;
  private int opened;

  /**
   * @throws RequestRefusedException NO_SPACE when no chunkserver is up
   */
  Placement(Job job, String rack, ChunkserverRegistry registry, ChunkIds ids, long reservationBytes)
      throws RequestRefusedException {
    this.job = job;
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
    this.unrestricted = candidates(List.of());
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
  ChunkInfo bind(AttemptId attempt, BindTarget target) {
    int partition = target.getPartition();
    ChunkInfo current = job.binding(attempt, partition);
    ChunkInfo previous = job.chunk(target.getPreviousChunk());
    boolean belongs = previous != null && previous.ifile().partition() == partition;
    if (belongs && target.getPreviousFull()) {
      previous.becomeFull();
    }
    List<String> avoided = target.getAvoidServersList();
    if (current != null) {
      boolean keep =
          current != previous && current.isBindable() && !avoided.contains(current.server().id());
      if (keep) {
        return current;
      }
      job.unbind(attempt, partition);
    }
    ChunkInfo chunk = find(partition, avoided.isEmpty() ? unrestricted : candidates(avoided));
    job.bind(attempt, partition, chunk);
    return chunk;
  }

  private ChunkInfo find(int partition, List<ServerInfo> candidates) {
    for (Ifile ifile : job.ifiles(partition)) {
      ChunkInfo chunk = ifile.withRoom(appendersPerChunk, candidates);
      if (chunk != null) {
        return chunk;
      }
    }
    opened++;
    ServerInfo server = registry.pick(candidates, job.spec().chunkBytes());
    return job.openChunk(partition, ids.next(), server);
  }

  private List<ServerInfo> candidates(Collection<String> avoided) {
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
