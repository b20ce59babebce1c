package dev.sailfish.launcher.run;

import dev.sailfish.launcher.LauncherException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a partitioned-sort bench runs.
 *
 * @param mb megabytes of records (1 MB = 10 000 records of 100 bytes); 0 is the null job
 * @param maps map tasks
 * @param reduces reduce tasks
 * @param shuffles contenders
 * @param rounds how often each contender runs
 * @param codec of map output
 * @param settings keys of the job's configuration over those that the bench sets itself, the same
 *     for all contenders
 */
public record BenchPlan(
    int mb,
    int maps,
    int reduces,
    List<Shuffle> shuffles,
    int rounds,
    Codec codec,
    Map<String, String> settings) {

  private static final int RECORDS_PER_MB = 10_000;
  private static final int STOCK_BYTES_PER_RECORD =
      100 + 2 * Integer.BYTES + 16; // length fields, kvmeta
  private static final double SPILL_PERCENT = 0.95;
  private static final int[] SORT_MB = {256, 448, 640};
  private static final int MAX_SORT_MB = 900;

  public BenchPlan {
    shuffles = List.copyOf(shuffles);
    settings = Map.copyOf(settings);
    require("--mb", mb, 0);
    require("--maps", maps, 1);
    require("--reduces", reduces, 1);
    require("--rounds", rounds, 1);
    if (shuffles.isEmpty()) {
      throw new LauncherException("--shuffle must name at least one of stock and sailfish.");
    }
    for (Shuffle shuffle : shuffles) {
      codec.requireRunsWith(shuffle);
      for (String key : settings.keySet()) {
        if (shuffle.configuration().containsKey(key)) {
          throw new LauncherException("-D " + key + " is what the contenders differ in.");
        }
      }
    }
  }

  private static void require(String option, int value, int least) {
    if (value < least) {
      throw new LauncherException(option + " must be at least " + least + " but is " + value + ".");
    }
  }

  /** Records of one run. */
  public long records() {
    return (long) mb * RECORDS_PER_MB;
  }

  /**
   * Contenders in the order of one round; every other round runs them backwards, so that none
   * always comes first.
   */
  public List<Shuffle> order(int round) {
    List<Shuffle> order = new ArrayList<>(shuffles);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    return order;
  }

  /**
   * The job's configuration, the same for each contender but for the shuffle itself: stock is tuned
   * such that each map spills once and each reduce merges once.
   */
  public Map<String, String> configuration(Shuffle shuffle) {
    Map<String, String> configuration = new HashMap<>(shuffle.configuration());
    configuration.putAll(codec.configuration());
    configuration.put("mapreduce.task.io.sort.mb", Integer.toString(sortBufferMb()));
    configuration.put("mapreduce.task.io.sort.factor", "100");
    configuration.put("mapreduce.map.sort.spill.percent", Double.toString(SPILL_PERCENT));
    configuration.put("mapreduce.reduce.shuffle.parallelcopies", "10");
    configuration.put("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    configuration.put("mapreduce.map.speculative", "false");
    configuration.put("mapreduce.reduce.speculative", "false");
    configuration.putAll(settings);
    return configuration;
  }

  /**
   * The smallest of a few usual sizes that holds a map's output at once; the largest possible when
   * none does.
   */
  int sortBufferMb() {
    double bytes = (double) records() / maps * STOCK_BYTES_PER_RECORD / SPILL_PERCENT;
    for (int candidate : SORT_MB) {
      if (bytes < (double) (candidate << 20)) {
        return candidate;
      }
    }
    return MAX_SORT_MB;
  }
}
