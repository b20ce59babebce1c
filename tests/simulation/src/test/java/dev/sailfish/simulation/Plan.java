package dev.sailfish.simulation;

import java.util.SplittableRandom;

/**
 * What a schedule is about, all but what goes wrong when.
 *
 * @param comparator whether keys are ordered by a comparator instead of by their bytes
 * @param repeatable whether all attempts of a map emit the same
 * @param serverFaults how many times a server is killed, lost or cut off
 * @param drains whether a chunkserver is drained
 * @param attemptFaults how likely an attempt is killed or interrupted
 * @param calmMs when all faults end
 */
record Plan(
    int chunkservers,
    int maps,
    int partitions,
    int mostRecords,
    int mostValueBytes,
    long chunkBytes,
    long reservationBytes,
    long memoryBytes,
    boolean comparator,
    boolean repeatable,
    Weather weather,
    int serverFaults,
    boolean drains,
    double attemptFaults,
    long calmMs) {
  private static final long KIB = 1024;

  /** Draws one; about one in four has no faults at all. */
  static Plan draw(SplittableRandom random) {
    boolean fair = random.nextInt(4) == 0;
    int chunkservers = 1 + random.nextInt(3);
    return new Plan(
        chunkservers,
        1 + random.nextInt(4),
        1 + random.nextInt(3),
        4 + random.nextInt(20),
        1 + random.nextInt(random.nextInt(4) == 0 ? 1500 : 200),
        (2 + random.nextInt(15)) * KIB,
        (1 + random.nextInt(8)) * KIB,
        (16 + random.nextInt(512)) * KIB,
        random.nextInt(4) == 0,
        random.nextInt(6) != 0,
        fair ? Weather.fair(random) : Weather.foul(random),
        fair || random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(4),
        chunkservers > 1 && random.nextInt(4) == 0,
        fair ? 0 : random.nextDouble() * 0.5,
        (5 + random.nextInt(25)) * 1000L);
  }

  /** Whether nothing goes wrong. */
  boolean isFair() {
    return serverFaults == 0 && attemptFaults == 0 && weather.equals(weather.calmed());
  }
}
