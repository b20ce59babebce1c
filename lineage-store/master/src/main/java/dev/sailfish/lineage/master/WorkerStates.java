package dev.sailfish.lineage.master;

import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What workers have said of themselves last. Kept by the leader alone: one that begins to lead
 * knows it again after a heartbeat of each. Thread-safe.
 */
final class WorkerStates {
  /**
   * A heartbeat, and when it was heard.
   *
   * @param said without its files
   */
  record Known(WorkerHeartbeatRequest said, long heardNs) {
    long capacityBytes() {
      return sum(said.getCapacityBytesList());
    }

    long usedBytes() {
      return sum(said.getUsedBytesList());
    }

    private static long sum(List<Long> bytes) {
      return bytes.stream().mapToLong(Long::longValue).sum();
    }
  }

  private final Map<Integer, Known> workers = new HashMap<>();

  synchronized void clear() {
    workers.clear();
  }

  synchronized void heard(WorkerHeartbeatRequest said, long nowNs) {
    WorkerHeartbeatRequest kept = said.toBuilder().clearFids().clearNotCopied().build();
    workers.put(said.getWorker(), new Known(kept, nowNs));
  }

  /** What a worker has said; null if it was not heard since this master leads. */
  synchronized Known of(int worker) {
    return workers.get(worker);
  }

  /** Room for blocks; 0 if it was not heard yet. */
  long freeBytes(int worker) {
    Known known = of(worker);
    return known == null ? 0 : known.said().getFreeBytes();
  }
}
