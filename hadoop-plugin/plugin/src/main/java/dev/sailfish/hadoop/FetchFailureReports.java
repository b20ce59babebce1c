package dev.sailfish.hadoop;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * How often a reducer names a lost map output to the AM. The stock AM counts, over all reducers,
 * how often a map attempt was named; it runs the map again when that is {@code notifications} times
 * or more, and {@code fraction} or more of the number of reducers that are shuffling then. How many
 * those are a reducer does not know, only that they are no more than the job's reducers.
 *
 * <pre>
 *   named at once      notifications times: enough for 2 × 3 = 6 shuffling reducers by default
 *   a second later     as often again, if the attempt still counts: 3, 6, 12, ...
 *   in all             what the AM needs if all reducers shuffle; then never again
 * </pre>
 *
 * <p>In jobs with more reducers than the first report does for, they report at different moments of
 * a second, so that most find the attempt withdrawn already. The AM does not count what comes after
 * that.
 *
 * <p>Sailfish's AM needs one name, and charges nobody for it: it gets one each second for as long
 * as the attempt counts. Pure: time is passed in, nothing is sent. Not thread-safe; at most one
 * entry for each map attempt that this reducer lost.
 */
final class FetchFailureReports {
  private static final long ROUND_NS = 1_000_000_000L;
  private static final int MOMENTS = 10;

  private final int first;
  private final int most;
  private final long delayNs;
  private final boolean atOnce;
  private final Map<Long, Told> told = new HashMap<>();
  private final Map<Integer, Integer> lossesOfMaps = new HashMap<>();
  private int mostLosses;

  private static final class Told {
    private int times;
    private long notBeforeNs;
  }

  /**
   * @param notifications {@code mapreduce.reduce.shuffle.max-fetch-failures-notifications}
   * @param fraction {@code mapreduce.reduce.shuffle.max-fetch-failures-fraction}
   * @param reduces how many reducers the job has
   * @param reduce which of them this is
   * @param atOnce whether the AM runs maps again at the first name
   */
  FetchFailureReports(int notifications, float fraction, int reduces, int reduce, boolean atOnce) {
    this.atOnce = atOnce;
    int needed = Math.max(1, notifications);
    first = needed;
    long all = (long) Math.floor((double) fraction * reduces);
    while ((float) all / reduces < fraction) {
      all++;
    }
    most = (int) Math.min(Math.max(needed, all), Integer.MAX_VALUE);
    delayNs = most == first ? 0 : reduce % MOMENTS * (ROUND_NS / MOMENTS);
  }

  /**
   * For a reducer of a job.
   *
   * @param atOnce {@link SailfishJob#mapsRunAgainAtOnce}
   */
  static FetchFailureReports of(Configuration conf, int reduces, int reduce, boolean atOnce) {
    return new FetchFailureReports(
        conf.getInt(
            MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS,
            MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS),
        conf.getFloat(
            MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION,
            MRJobConfig.DEFAULT_MAX_ALLOWED_FETCH_FAILURES_FRACTION),
        reduces,
        reduce,
        atOnce);
  }

  /**
   * Takes note of a lost map attempt.
   *
   * @return whether it is a new one
   */
  boolean lost(int map, int attempt, long nowNs) {
    long key = key(map, attempt);
    if (told.containsKey(key)) {
      return false;
    }
    Told fresh = new Told();
    fresh.notBeforeNs = nowNs + delayNs;
    told.put(key, fresh);
    mostLosses = Math.max(mostLosses, lossesOfMaps.merge(map, 1, Integer::sum));
    return true;
  }

  /** How many attempts of the same map were lost; of the one that lost most. */
  int mostLosses() {
    return mostLosses;
  }

  /** How often to name a lost attempt, that still counts, now; the caller does so. */
  int due(int map, int attempt, long nowNs) {
    Told so = told.get(key(map, attempt));
    if (so.notBeforeNs - nowNs > 0) {
      return 0;
    }
    int times = atOnce ? 1 : Math.min(so.times == 0 ? first : so.times, most - so.times);
    so.times += times;
    so.notBeforeNs = nowNs + ROUND_NS;
    return times;
  }

  private static long key(int map, int attempt) {
    return (long) map << 32 | attempt;
  }
}
