package dev.sailfish.iappender;

/** Waits between tries: doubled from 2 ms to half a second. */
final class Backoff {
  private static final long FIRST_MS = 2;
  private static final long LONGEST_MS = 500;
  private static final int MOST_DOUBLINGS = 8;

  private Backoff() {}

  /** How long to wait before the next try, in nanoseconds, after {@code failures} of them. */
  static long nanos(int failures) {
    long millis = FIRST_MS << Math.min(Math.max(0, failures - 1), MOST_DOUBLINGS);
    return Math.min(millis, LONGEST_MS) * 1_000_000;
  }
}
