package dev.sailfish.lineage.edge.recompute;

import java.util.concurrent.TimeUnit;

/**
 * When a step that failed is tried again: after a time that doubles with each attempt.
 *
 * @param attempts how often it is tried in all, at least once
 * @param firstNs how long it waits after the first failure, in ns
 * @param longestNs how long it waits at most, in ns
 */
public record Backoff(int attempts, long firstNs, long longestNs) {
  /** Four attempts, a second after the first failure. */
  public static final Backoff DEFAULT =
      new Backoff(4, TimeUnit.SECONDS.toNanos(1), TimeUnit.MINUTES.toNanos(1));

  public Backoff {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts are at least 1, not " + attempts);
    }
    if (firstNs < 0 || longestNs < firstNs) {
      throw new IllegalArgumentException(
          "a wait is from 0 to the longest one: firstNs=%d longestNs=%d"
              .formatted(firstNs, longestNs));
    }
  }

  /**
   * How long to wait, in ns.
   *
   * @param failures attempts that have failed, at least 1
   */
  public long waitNs(int failures) {
    long waitNs = firstNs;
    for (int i = 1; i < failures && waitNs < longestNs; i++) {
      waitNs = waitNs > longestNs / 2 ? longestNs : 2 * waitNs;
    }
    return waitNs;
  }
}
