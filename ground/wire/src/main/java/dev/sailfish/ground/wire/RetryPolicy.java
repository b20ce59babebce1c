package dev.sailfish.ground.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;

/**
 * When work that has failed is tried again. Waits double from a first to a longest one; each is
 * shorter by a random part of up to a quarter, so that clients which failed together do not come
 * back together. Knows no clock and keeps no state: callers count their failures. Immutable.
 */
public final class RetryPolicy {
  /** For what a task waits for. */
  public static final RetryPolicy TASK = new RetryPolicy(2, 500);

  /** For what nobody waits for: a daemon that looks for another one. */
  public static final RetryPolicy DAEMON = new RetryPolicy(50, 5_000);

  /** From {@link #next}: there is no further attempt. */
  public static final long NEVER = Long.MIN_VALUE;

  private static final int MOST_DOUBLINGS = 30;
  private static final long MILLI = 1_000_000;

  private final long firstNs;
  private final long longestNs;

  /**
   * @param firstMs the wait after the first failure, at least 1
   * @param longestMs no wait is longer
   */
  public RetryPolicy(long firstMs, long longestMs) {
    if (firstMs < 1 || longestMs < firstMs) {
      throw new IllegalArgumentException("first_ms=" + firstMs + " longest_ms=" + longestMs);
    }
    this.firstNs = firstMs * MILLI;
    this.longestNs = longestMs * MILLI;
  }

  /**
   * How long to wait before the next attempt, in nanoseconds.
   *
   * @param failures in a row, at least 1
   * @param random any number; the time in nanoseconds does
   */
  public long waitNs(int failures, long random) {
    long wait = Math.min(firstNs << Math.min(failures - 1, MOST_DOUBLINGS), longestNs);
    // Two rounds of a multiplicative hash: neighbouring numbers give unrelated parts.
    long mixed = random * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    return wait - (mixed >>> 1) % (wait / 4 + 1);
  }

  /**
   * When to make the next attempt, in the same clock's time.
   *
   * @param failures in a row, this one included
   * @param endNs no attempt begins after that
   * @return {@link #NEVER} when another attempt cannot succeed, or would begin too late
   */
  public long next(IOException failure, int failures, long nowNs, long endNs) {
    long nextNs = nowNs + waitNs(failures, nowNs);
    return mayHeal(failure) && nextNs - endNs <= 0 ? nextNs : NEVER;
  }

  /** Whether the same request may succeed later, here or elsewhere. */
  public static boolean mayHeal(IOException failure) {
    if (failure instanceof RemoteException refusal) {
      return refusal.status().retryable();
    }
    return !(failure instanceof ProtocolException
        || failure instanceof InvalidProtocolBufferException);
  }
}
