package dev.sailfish.simulation;

import dev.sailfish.chunkserver.SimulatedChunkserver.HeldBlock;
import dev.sailfish.chunkserver.SimulatedChunkserver.SeenChunk;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.simulator.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * From when a chunk is STABLE its bytes stay what they are; sorting it keeps its blocks; and a
 * SORTED chunk stays what it is over restarts too.
 */
final class StableChunksDoNotChange {
  private record Key(String server, long chunk) {}

  /** What was seen last, and in which life of the server. */
  private record Last(int life, ChunkState state, int bytes, Set<HeldBlock> blocks) {}

  private final Map<Key, Last> all = new HashMap<>();

  /** Whether a server's chunk was SORTED when it was seen last. */
  boolean hasSeenSorted(String server, long chunk) {
    Last last = all.get(new Key(server, chunk));
    return last != null && last.state() == ChunkState.SORTED;
  }

  /** A server's storage is gone. */
  void gone(String server) {
    all.keySet().removeIf(key -> key.server().equals(server));
  }

  /** Compares a server's chunks with what they were. */
  void check(String server, int life, List<SeenChunk> seen) {
    for (SeenChunk chunk : seen) {
      if (chunk.state() == ChunkState.STABLE || chunk.state() == ChunkState.SORTED) {
        Key key = new Key(server, chunk.id());
        Last now = new Last(life, chunk.state(), chunk.bytes(), chunk.blocks());
        Last before = all.put(key, now);
        if (before != null) {
          check(key, before, now);
        }
      } else if (chunk.state() == ChunkState.OPEN) {
        Key key = new Key(server, chunk.id());
        Last before = all.get(key);
        if (before != null && before.life() == life) {
          throw violation(key, "is OPEN again");
        }
        all.remove(key);
      }
    }
  }

  private static void check(Key key, Last before, Last now) {
    boolean sameLife = before.life() == now.life();
    if (before.state() == ChunkState.SORTED && now.state() == ChunkState.STABLE) {
      throw violation(key, "is STABLE again");
    }
    boolean fixed = before.state() == now.state() && (sameLife || now.state() == ChunkState.SORTED);
    if (fixed && before.bytes() != now.bytes()) {
      throw violation(key, "has other bytes than before: state=" + now.state());
    }
    if (sameLife && !before.blocks().equals(now.blocks())) {
      throw violation(key, "had blocks " + before.blocks() + ", and now " + now.blocks());
    }
  }

  private static Violation violation(Key key, String what) {
    return new Violation(
        StableChunksDoNotChange.class,
        "chunk=" + Long.toHexString(key.chunk()) + " on " + key.server() + " " + what);
  }
}
