package dev.sailfish.metaserver.manifest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The manifests of one job, by map and attempt. */
public final class Manifests {
  private final Map<Integer, TreeMap<Integer, Manifest>> byMap = new HashMap<>();
  private final List<Manifest> all = new ArrayList<>();

  /** What the attempt committed, or null. */
  public Manifest find(AttemptId attempt) {
    TreeMap<Integer, Manifest> ofMap = byMap.get(attempt.map());
    return ofMap == null ? null : ofMap.get(attempt.attempt());
  }

  /** What the last attempt of the same map before this one committed, or null. */
  public Manifest before(AttemptId attempt) {
    TreeMap<Integer, Manifest> ofMap = byMap.get(attempt.map());
    Map.Entry<Integer, Manifest> before =
        ofMap == null ? null : ofMap.lowerEntry(attempt.attempt());
    return before == null ? null : before.getValue();
  }

  /** Adds one of an attempt that has none. */
  public void add(Manifest manifest) {
    AttemptId id = manifest.id();
    byMap.computeIfAbsent(id.map(), map -> new TreeMap<>()).put(id.attempt(), manifest);
    all.add(manifest);
  }

  /** Of each map the attempt that committed last. */
  public Collection<AttemptId> latest() {
    Map<Integer, AttemptId> latest = new TreeMap<>();
    all.forEach(manifest -> latest.put(manifest.id().map(), manifest.id()));
    return latest.values();
  }

  /** How many maps have committed. */
  public int maps() {
    return byMap.size();
  }

  /** All, in the order in which they were added. */
  public List<Manifest> all() {
    return Collections.unmodifiableList(all);
  }
}
