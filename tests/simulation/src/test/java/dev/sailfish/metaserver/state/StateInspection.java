package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.protocol.ChunkState;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What simulations see of a metaserver's core. */
public final class StateInspection {
  private StateInspection() {}

  /** Ids of all chunks that are given up. */
  public static Set<Long> lostChunks(MetaserverState state) {
    Set<Long> lost = new TreeSet<>();
    for (Job job : state.jobs().all()) {
      for (ChunkInfo chunk : job.chunks()) {
        if (chunk.state() == ChunkState.LOST) {
          lost.add(chunk.id());
        }
      }
    }
    return lost;
  }

  /** Where each chunk is that is not given up: servers by id of the chunk. */
  public static Map<Long, String> places(MetaserverState state) {
    Map<Long, String> places = new TreeMap<>();
    for (Job job : state.jobs().all()) {
      for (ChunkInfo chunk : job.chunks()) {
        if (chunk.state() != ChunkState.LOST) {
          places.put(chunk.id(), chunk.server().id());
        }
      }
    }
    return places;
  }

  /** Names of jobs and keys that are there and that somebody has made up: null, or a sentence. */
  public static String strangersNames(MetaserverState state, Predicate<String> isInvented) {
    for (Job job : state.jobs().all()) {
      if (isInvented.test(job.name())) {
        return "the metaserver knows the job of a stranger: " + job.name();
      }
    }
    for (AdmittedJobs.Admitted job : state.admitted().all()) {
      String name = job.admit().getName();
      if (isInvented.test(name)) {
        return "the metaserver has admitted the job of a stranger: " + name;
      }
      if (job.id().indexOf(AdmittedJobs.TILDE) >= 0) {
        return "the metaserver has admitted a stranger under another's name: " + job.id();
      }
    }
    return null;
  }

  /** Whether an attempt's manifest is known. */
  public static boolean hasManifest(MetaserverState state, String job, int map, int attempt) {
    Job found = state.jobs().find(job);
    return found != null && found.manifest(new AttemptId(map, attempt)) != null;
  }

  /** What is wrong with the reservations: null, or a sentence. */
  public static String wrongReservations(MetaserverState state) {
    for (Job job : state.jobs().all()) {
      Map<Long, Integer> bound = new TreeMap<>();
      job.bindings()
          .values()
          .forEach(
              chunks -> chunks.values().forEach(chunk -> bound.merge(chunk.id(), 1, Integer::sum)));
      for (ChunkInfo chunk : job.chunks()) {
        int expected = bound.getOrDefault(chunk.id(), 0);
        if (chunk.appenders() != expected) {
          return chunk + " counts appenders=" + chunk.appenders() + ", bound are=" + expected;
        }
      }
    }
    return null;
  }

  /** A chunk of a server that no job has: null, or a sentence. */
  public static String strayChunk(MetaserverState state) {
    for (ServerInfo server : state.registry().all()) {
      for (ChunkInfo chunk : server.chunks().values()) {
        Job job = state.jobs().find(chunk.ifile().job().name());
        if (job == null || job.chunk(chunk.id()) != chunk) {
          return chunk + " is of no job";
        }
      }
    }
    return null;
  }
}
