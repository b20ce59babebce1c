package dev.sailfish.metaserver;

import dev.sailfish.protocol.Status;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.RequestRefusedException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The keys that jobs are bound to: each to the one with which it was used first. A key lives as
 * long as its job, or for the length of a lease when the job is never created. Part of the core.
 */
final class BoundKeys {
  /** Bounds what strangers can make the metaserver remember. */
  private static final int MOST_KEYS = 100_000;

  private final long leaseMs;
  private final Map<String, Bound> keys = new HashMap<>();

  private record Bound(Principal principal, long sinceMs) {}

  BoundKeys(long leaseMs) {
    this.leaseMs = leaseMs;
  }

  /** The job's principal with its key, or null when none is bound. */
  Principal find(String job) {
    Bound bound = keys.get(job);
    return bound == null ? null : bound.principal();
  }

  /**
   * Binds a job to a key.
   *
   * @return the principal with the key that counts: this one, unless there was one before
   * @throws RequestRefusedException BUSY when there are too many
   */
  Principal bind(String job, byte[] key, long nowMs) throws RequestRefusedException {
    Principal before = find(job);
    if (before != null) {
      return before;
    }
    if (keys.size() >= MOST_KEYS) {
      throw new RequestRefusedException(
          Status.BUSY, "too many jobs have a key: limit=" + MOST_KEYS + " job=" + job);
    }
    Principal principal = Principal.ofJob(job, key);
    keys.put(job, new Bound(principal, nowMs));
    return principal;
  }

  /** The job has ended, and what is connected with its key may do nothing any more. */
  void forget(String job) {
    Bound bound = keys.remove(job);
    if (bound != null) {
      bound.principal().end();
    }
  }

  /** Forgets the keys of names that were bound a lease ago and are no job. */
  void tick(long nowMs, Predicate<String> isJob) {
    Iterator<Map.Entry<String, Bound>> all = keys.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Bound> entry = all.next();
      if (nowMs - entry.getValue().sinceMs() >= leaseMs && !isJob.test(entry.getKey())) {
        entry.getValue().principal().end();
        all.remove();
      }
    }
  }

  int size() {
    return keys.size();
  }
}
