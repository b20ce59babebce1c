package dev.sailfish.simulator;

import dev.sailfish.testkit.Seed;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * Runs schedules one after the other, each from a seed of its own that follows from the first one.
 * {@code -Dsailfish.schedules=N} says how many, instead of the test.
 */
public final class Schedules {
  private static final String COUNT = "sailfish.schedules";

  private Schedules() {}

  /** A schedule that follows from its seed. */
  public interface Schedule {
    /** Runs it; throws an {@link AssertionError} when it shows a defect. */
    void run(long seed) throws IOException, InterruptedException;
  }

  /**
   * Runs schedules until one fails, which is named with what repeats it alone.
   *
   * @param count how many at most
   * @param limitNs no further one begins after this time, in nanoseconds of this machine's clock
   * @return how many ran
   */
  public static int run(Seed first, int count, long limitNs, Schedule schedule)
      throws IOException, InterruptedException {
    String asked = System.getProperty(COUNT, "");
    int most = asked.isBlank() ? count : Integer.parseInt(asked.strip());
    SplittableRandom seeds = first.splittable();
    long startNs = System.nanoTime();
    long seed = first.value();
    int ran = 0;
    while (ran < most && System.nanoTime() - startNs < limitNs) {
      try {
        schedule.run(seed);
      } catch (AssertionError e) {
        String repeat = "-D" + Seed.PROPERTY + "=" + seed + " -D" + COUNT + "=1";
        throw new AssertionError(
            "schedule seed=" + seed + " failed, repeat with " + repeat + ": " + e.getMessage(), e);
      }
      ran++;
      seed = seeds.nextLong();
    }
    return ran;
  }
}
