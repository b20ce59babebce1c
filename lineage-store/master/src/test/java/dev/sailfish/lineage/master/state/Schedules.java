package dev.sailfish.lineage.master.state;

import dev.sailfish.testkit.Seed;
import java.util.Random;

/** Many schedules, each of a seed of its own, which a failure names. */
final class Schedules {
  private Schedules() {}

  /** One schedule. */
  @FunctionalInterface
  interface Schedule {
    void run(Random random) throws Exception;
  }

  static void run(int count, Seed seed, Schedule schedule) throws Exception {
    for (int i = 0; i < count; i++) {
      Seed own = seed.derive("schedule " + i);
      try {
        schedule.run(own.random());
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("schedule " + i + " seed=" + own, e);
      }
    }
  }
}
