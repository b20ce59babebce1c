package dev.sailfish.testkit;

import java.util.Random;
import java.util.SplittableRandom;

/**
 * The one number that all randomness of a test comes from. Ask for it as a parameter of a {@link
 * Seeded} test when the test needs several independent sources, or passes the number on to another
 * process.
 *
 * @param value the seed; two runs of a test with the same value see the same random numbers
 */
public record Seed(long value) {

  /** System property that fixes the seed of every seeded test: {@code -Dsailfish.seed=N}. */
  public static final String PROPERTY = "sailfish.seed";

  /** A new generator that starts at this seed. Two calls give two equal sequences. */
  public SplittableRandom splittable() {
    return new SplittableRandom(value);
  }

  /** A new generator that starts at this seed. Two calls give two equal sequences. */
  public Random random() {
    return new Random(value);
  }

  /**
   * A seed of its own for one of several actors, so that what one of them draws does not depend on
   * how often another one drew before.
   *
   * @param name names the actor, for instance {@code "appender-3"}
   */
  public Seed derive(String name) {
    long mixed = value;
    for (int i = 0; i < name.length(); i++) {
      mixed = mixed * 0x9E3779B97F4A7C15L + name.charAt(i);
    }
    return new Seed(new SplittableRandom(mixed).nextLong());
  }

  /** The words a failure prints, so that it can be repeated. */
  String repeatWith() {
    return "seed=" + value + " (repeat with -D" + PROPERTY + "=" + value + ")";
  }
}
