package dev.sailfish.lineage.master;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each client was heard last. Kept by the leader alone: one that begins to lead has heard all
 * of them just now. Thread-safe.
 */
final class ClientLeases {
  private final long leaseNs;
  private final Map<Long, Long> heardNs = new HashMap<>();
  private long beganNs;

  /**
   * @param leaseNs how long a client may be silent, in nanoseconds
   */
  ClientLeases(long leaseNs) {
    this.leaseNs = leaseNs;
  }

  /** This master begins to lead. */
  synchronized void begin(long nowNs) {
    heardNs.clear();
    beganNs = nowNs;
  }

  synchronized void heard(long client, long nowNs) {
    heardNs.put(client, nowNs);
  }

  /**
   * Those who were silent for too long.
   *
   * @param writers all clients that write something; others are forgotten
   */
  synchronized List<Long> expired(Collection<Long> writers, long nowNs) {
    heardNs.values().removeIf(heard -> nowNs - heard > leaseNs);
    if (nowNs - beganNs <= leaseNs) {
      return List.of();
    }
    return writers.stream().filter(writer -> !heardNs.containsKey(writer)).sorted().toList();
  }
}
