package dev.sailfish.metaserver;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The manifests of one job, by map and attempt. */
final class Manifests {
  private final Map<Integer, TreeMap<Integer, Manifest>> byMap = new HashMap<>();
  private int count;

  /** What the attempt committed, or null. */
  Manifest find(AttemptId attempt) {
    TreeMap<Integer, Manifest> ofMap = byMap.get(attempt.map());
    return ofMap == null ? null : ofMap.get(attempt.attempt());
  }

  /** What the last attempt of the same map before this one committed, or null. */
  Manifest before(AttemptId attempt) {
    TreeMap<Integer, Manifest> ofMap = byMap.get(attempt.map());
    Map.Entry<Integer, Manifest> before =
        ofMap == null ? null : ofMap.lowerEntry(attempt.attempt());
    return before == null ? null : before.getValue();
  }

  /** Adds one of an attempt that has none. */
  void put(AttemptId attempt, Manifest manifest) {
    byMap.computeIfAbsent(attempt.map(), map -> new TreeMap<>()).put(attempt.attempt(), manifest);
    count++;
  }

  int count() {
    return count;
  }

  /** How many maps have committed. */
  int maps() {
    return byMap.size();
  }

  /** All, in the order of attempts; a new map. */
  Map<AttemptId, Manifest> inOrder() {
    Map<AttemptId, Manifest> all = new TreeMap<>();
    byMap.forEach(
        (map, ofMap) ->
            ofMap.forEach((attempt, manifest) -> all.put(new AttemptId(map, attempt), manifest)));
    return all;
  }
}
