package dev.sailfish.chaos;

import java.util.SplittableRandom;

/**
 * One planned fault.
 *
 * @param <T> what it strikes
 * @param kind what happens
 * @param moment when
 * @param delayMs how long after that moment, in milliseconds
 * @param seed of what is decided only then: which process, which bit, how long
 */
public record Fault<T extends Target>(FaultKind<T> kind, Moment moment, long delayMs, long seed) {
  private static final int MOST_DELAY_MS = 3_000;

  /** Draws when it strikes. */
  static <T extends Target> Fault<T> of(FaultKind<T> kind, SplittableRandom random) {
    Moment moment = kind.moments().get(random.nextInt(kind.moments().size()));
    return new Fault<>(kind, moment, random.nextInt(MOST_DELAY_MS), random.nextLong());
  }

  @Override
  public String toString() {
    return kind + " at " + moment + "+" + delayMs + "ms";
  }
}
