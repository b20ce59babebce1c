package dev.sailfish.metaserver.state;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What has ended within a lease, the oldest first, so that stragglers do not bring it back.
 * Bounded.
 *
 * @param <K> by what it is known
 */
final class Ended<K> {
  private static final int MOST = 10_000;

  private final Map<K, Long> endedMs = new LinkedHashMap<>();

  /** It has ended at this time, which is not before that of any other. */
  void add(K key, long atMs) {
    endedMs.put(key, atMs);
    if (endedMs.size() > MOST) {
      Iterator<K> oldest = endedMs.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Whether it has ended and is not forgotten. */
  boolean contains(K key) {
    return endedMs.containsKey(key);
  }

  /** Whether it has ended less than a lease ago. */
  boolean contains(K key, long nowMs, long leaseMs) {
    Long ended = endedMs.get(key);
    return ended != null && nowMs - ended < leaseMs;
  }

  /** Forgets what ended a lease ago. */
  void forget(long nowMs, long leaseMs) {
    Iterator<Long> oldest = endedMs.values().iterator();
    while (oldest.hasNext() && nowMs - oldest.next() >= leaseMs) {
      oldest.remove();
    }
  }

  /** When each of them ended, the oldest first; a new map. */
  Map<K, Long> all() {
    return new LinkedHashMap<>(endedMs);
  }
}
