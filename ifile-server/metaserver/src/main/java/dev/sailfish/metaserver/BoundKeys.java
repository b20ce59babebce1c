package dev.sailfish.metaserver;

import dev.sailfish.protocol.Status;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.RequestRefusedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The keys that jobs are bound to: each to the one with which it was used first. A key lives as
 * long as its job, or for the length of a lease when the job is never created. Part of the core.
 */
final class BoundKeys {
  /** Bounds what strangers can make the metaserver remember. */
  private static final int MOST_KEYS = 100_000;

  private long leaseMs;
  private final Map<String, Bound> keys = new TreeMap<>();

  /** A key, and when it was bound. */
  record Bound(Principal principal, long sinceMs) {}

  BoundKeys(long leaseMs) {
    this.leaseMs = leaseMs;
  }

  /** From here on leases are this long. */
  void leasesLast(long ms) {
    leaseMs = ms;
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

  /** Names that were bound a lease ago and are no job: their keys are to be forgotten. */
  List<String> unused(long nowMs, Predicate<String> isJob) {
    List<String> unused = new ArrayList<>();
    keys.forEach(
        (name, bound) -> {
          if (nowMs - bound.sinceMs() >= leaseMs && !isJob.test(name)) {
            unused.add(name);
          }
        });
    return unused;
  }

  /** All keys by job. */
  Map<String, Bound> all() {
    return Collections.unmodifiableMap(keys);
  }

  /** Takes a key over from a snapshot. */
  void restore(String job, byte[] key, long sinceMs) {
    keys.put(job, new Bound(Principal.ofJob(job, key), sinceMs));
  }

  int size() {
    return keys.size();
  }
}
