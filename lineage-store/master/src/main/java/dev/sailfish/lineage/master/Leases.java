package dev.sailfish.lineage.master;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each client, or worker, was heard last. Kept by the leader alone: one that begins to lead
 * has heard all of them just now. The time is the journal's, in milliseconds: nobody is silent
 * while the master itself stands still. Thread-safe.
 */
final class Leases {
  private final long leaseMs;
  private final Map<Long, Long> heardMs = new HashMap<>();
  private long beganMs;

  /**
   * @param leaseMs how long one may be silent, in milliseconds
   */
  Leases(long leaseMs) {
    this.leaseMs = leaseMs;
  }

  /** This master begins to lead. */
  synchronized void begin(long nowMs) {
    heardMs.clear();
    beganMs = nowMs;
  }

  synchronized void heard(long who, long nowMs) {
    heardMs.put(who, nowMs);
  }

  /** Whether a whole lease is over since a time, in which this master has led. */
  synchronized boolean isOver(long sinceMs, long nowMs) {
    return nowMs - Math.max(sinceMs, beganMs) > leaseMs;
  }

  /**
   * Those who were silent for too long.
   *
   * @param all who have a lease; others are forgotten
   */
  synchronized List<Long> expired(Collection<Long> all, long nowMs) {
    heardMs.values().removeIf(heard -> nowMs - heard > leaseMs);
    if (nowMs - beganMs <= leaseMs) {
      return List.of();
    }
    return all.stream().filter(one -> !heardMs.containsKey(one)).sorted().toList();
  }
}
