package dev.sailfish.ground.journal;

import java.util.concurrent.TimeUnit;

/**
 * Whether a peer asks to be elected. One that is far behind, because it has just started and still
 * applies what its log has, would serve nobody before it has applied all: it leaves the lead to the
 * others, as long as one of them may be better. Thread-safe.
 */
final class Candidacy {
  /** Transactions of the log that a peer may have left to apply, and yet stand, and be ready. */
  static final long MOST_BEHIND = 100;

  /** The others have had time for an election then, which they have lost. */
  static final long GRACE_NS = TimeUnit.SECONDS.toNanos(4);

  /** Somebody has led since. */
  private static final long FORGOTTEN_NS = TimeUnit.SECONDS.toNanos(30);

  private boolean stoodBack;
  private long firstNs;
  private long lastNs;

  /** Whether a peer that has so many transactions left to apply would serve nobody for a while. */
  static boolean isFarBehind(long behind) {
    return behind > MOST_BEHIND;
  }

  /** It has turned out that no other peer would be better: the grace is over. */
  synchronized void nobodyIsBetter(long nowNs) {
    stoodBack = true;
    firstNs = nowNs - GRACE_NS - 1;
    lastNs = nowNs;
  }

  /**
   * A peer wants to be elected.
   *
   * @param behind transactions that are known to be committed, and not applied here
   * @return whether it should ask for votes
   */
  synchronized boolean stands(long behind, long nowNs) {
    if (!isFarBehind(behind)) {
      stoodBack = false;
      return true;
    }
    if (!stoodBack || nowNs - lastNs > FORGOTTEN_NS) {
      stoodBack = true;
      firstNs = nowNs;
    }
    lastNs = nowNs;
    return nowNs - firstNs > GRACE_NS;
  }
}
