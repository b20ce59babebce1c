package dev.sailfish.simulation;

import dev.sailfish.chunkserver.SimulatedChunkserver.HeldBlock;
import dev.sailfish.chunkserver.SimulatedChunkserver.SeenChunk;
import dev.sailfish.simulator.Violation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A block that a chunkserver has acknowledged is in its chunk's bytes, whole, for as long as the
 * server's storage lives: until the metaserver has given the chunk up, or the job has ended. When
 * the metaserver moves the chunk to another server, that one has it from then on.
 *
 * <p>One hole is known: a server that was restarted does not remember that a chunk was moved away,
 * and begins it anew for an appender that is late; such acks are counted and not held against it.
 */
final class NothingAckedIsLost {
  private final Map<String, Map<Long, Set<HeldBlock>>> acked = new HashMap<>();
  private final Set<Long> givenUp = new HashSet<>();
  private final Map<String, Integer> lives = new HashMap<>();

  /** In which of its lives a server gave a chunk away, by both. */
  private final Map<String, Integer> movedAway = new HashMap<>();

  private boolean jobEnded;
  private int moved;
  private long blocks;

  /** A chunkserver answers an append well. */
  void acked(String server, int life, long chunk, HeldBlock block) {
    lives.put(server, life);
    int movedIn = movedAway.getOrDefault(server + "/" + chunk, life);
    if (jobEnded || movedIn < life) {
      return;
    }
    boolean isNew =
        acked
            .computeIfAbsent(server, s -> new TreeMap<>())
            .computeIfAbsent(chunk, c -> new HashSet<>())
            .add(block);
    blocks += isNew ? 1 : 0;
  }

  /** How many blocks were acknowledged. */
  long blocks() {
    return blocks;
  }

  /** The metaserver has given chunks up. */
  void givenUp(Set<Long> chunks) {
    givenUp.addAll(chunks);
  }

  boolean isGivenUp(long chunk) {
    return givenUp.contains(chunk);
  }

  /** Where the metaserver says that chunks are: servers by id of the chunk. */
  void places(Map<Long, String> places) {
    for (String server : List.copyOf(acked.keySet())) {
      Map<Long, Set<HeldBlock>> promised = acked.get(server);
      for (long chunk : List.copyOf(promised.keySet())) {
        String place = places.getOrDefault(chunk, server);
        if (!place.equals(server)) {
          acked
              .computeIfAbsent(place, s -> new TreeMap<>())
              .computeIfAbsent(chunk, c -> new HashSet<>())
              .addAll(promised.remove(chunk));
          movedAway.put(server + "/" + chunk, lives.get(server));
          moved++;
        }
      }
    }
  }

  /** How many chunks were moved. */
  int moved() {
    return moved;
  }

  /** A server's storage is gone, and all it held. */
  void gone(String server) {
    acked.remove(server);
  }

  /** The job has ended: what is appended to it from now on is nobody's. */
  void jobEnded() {
    jobEnded = true;
    acked.clear();
  }

  /** Compares a server that is up with what it has acknowledged. */
  void check(String server, List<SeenChunk> seen) {
    Map<Long, Set<HeldBlock>> promised = acked.getOrDefault(server, Map.of());
    Map<Long, SeenChunk> byId = new HashMap<>();
    seen.forEach(chunk -> byId.put(chunk.id(), chunk));
    promised.forEach(
        (chunk, expected) -> {
          if (!givenUp.contains(chunk)) {
            check(server, chunk, expected, byId.get(chunk));
          }
        });
  }

  private static void check(String server, long chunk, Set<HeldBlock> expected, SeenChunk seen) {
    if (seen == null) {
      throw new Violation(
          NothingAckedIsLost.class,
          "chunk=" + Long.toHexString(chunk) + " is not on " + server + " any more: " + expected);
    }
    for (HeldBlock block : expected) {
      if (!seen.blocks().contains(block)) {
        throw new Violation(
            NothingAckedIsLost.class,
            block
                + " was acknowledged by "
                + server
                + " and is not in chunk="
                + Long.toHexString(chunk)
                + " state="
                + seen.state());
      }
    }
  }
}
