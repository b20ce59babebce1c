package dev.sailfish.simulation;

import dev.sailfish.format.CodecId;
import dev.sailfish.simulator.Weather;
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
 * @param habits what else the job and its surroundings are like
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
    long calmMs,
    Habits habits) {
  private static final long KIB = 1024;
  private static final int COMBINED_RECORDS = 10;

  /** Why a metaserver hears nobody for longer than a chunkserver may be silent. */
  enum Silence {
    /** It hears all. */
    NONE,
    /** It is stopped. */
    PAUSE,
    /** Nothing gets through to it. */
    CUT_OFF;

    private static Silence draw(SplittableRandom random) {
      return values()[random.nextInt(values().length)];
    }
  }

  /**
   * What a job and its surroundings are like, beyond their sizes.
   *
   * @param authenticated whether each connection begins with proofs
   * @param encrypted whether blocks are encrypted where they rest
   * @param combined whether values are numbers that a combiner adds up
   * @param codec how blocks are compressed
   * @param longestSortMs what a sort takes at most
   * @param floods how many times strangers connect in crowds
   * @param silence whether all that goes wrong is that the metaserver hears nobody for a while
   * @param masterDeaths how many times the ApplicationMaster dies, with all tasks
   */
  record Habits(
      boolean authenticated,
      boolean encrypted,
      boolean combined,
      CodecId codec,
      long longestSortMs,
      int floods,
      Silence silence,
      int masterDeaths) {
    private static final long SORT_MS = 400;
    private static final long SLOW_SORT_MS = 15_000;

    private static Habits draw(SplittableRandom random, boolean fair) {
      boolean authenticated = random.nextInt(8) != 0;
      CodecId[] codecs = CodecId.values();
      return new Habits(
          authenticated,
          authenticated && random.nextInt(3) == 0,
          random.nextInt(4) == 0,
          random.nextBoolean() ? CodecId.NONE : codecs[random.nextInt(codecs.length)],
          random.nextInt(3) == 0 ? SLOW_SORT_MS : SORT_MS,
          authenticated && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0,
          fair && random.nextInt(3) == 0 ? Silence.draw(random) : Silence.NONE,
          fair || random.nextInt(4) != 0 ? 0 : 1 + random.nextInt(2));
    }
  }

  /** Draws one; about one in four has no faults at all. */
  static Plan draw(SplittableRandom random) {
    boolean fair = random.nextInt(4) == 0;
    int chunkservers = 1 + random.nextInt(3);
    Habits habits = Habits.draw(random, fair);
    return new Plan(
        chunkservers,
        1 + random.nextInt(4),
        1 + random.nextInt(3),
        (4 + random.nextInt(20)) * (habits.combined() ? COMBINED_RECORDS : 1),
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
        (5 + random.nextInt(25)) * 1000L,
        habits);
  }

  /** The secrets of the schedule. */
  Keys keys() {
    return new Keys(habits.authenticated());
  }

  /**
   * Whether nothing goes wrong with servers and tasks; strangers may come nevertheless, and the
   * metaserver may hear nobody for a while.
   */
  boolean isFair() {
    return habits.masterDeaths() == 0
        && serverFaults == 0
        && attemptFaults == 0
        && weather.equals(weather.calmed());
  }
}
