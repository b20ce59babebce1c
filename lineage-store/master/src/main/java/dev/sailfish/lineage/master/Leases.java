package dev.sailfish.lineage.master;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each client, or worker, was heard last. Kept by the leader alone: one that begins to lead
 * has heard all of them just now. Thread-safe.
 */
final class Leases {
  private final long leaseNs;
  private final Map<Long, Long> heardNs = new HashMap<>();
  private long beganNs;

  /**
   * @param leaseNs how long one may be silent, in nanoseconds
   */
  Leases(long leaseNs) {
    this.leaseNs = leaseNs;
  }

  /** This master begins to lead. */
  synchronized void begin(long nowNs) {
    heardNs.clear();
    beganNs = nowNs;
  }

  synchronized void heard(long who, long nowNs) {
    heardNs.put(who, nowNs);
  }

  /**
   * Those who were silent for too long.
   *
   * @param all who have a lease; others are forgotten
   */
  synchronized List<Long> expired(Collection<Long> all, long nowNs) {
    heardNs.values().removeIf(heard -> nowNs - heard > leaseNs);
    if (nowNs - beganNs <= leaseNs) {
      return List.of();
    }
    return all.stream().filter(one -> !heardNs.containsKey(one)).sorted().toList();
  }
}
