package dev.sailfish.workbuilder.plan;

import java.util.Locale;

/**
 * What reduce tasks cost on a cluster, as the caller has measured it, and the size of reduce work
 * that follows from it.
 *
 * @param containers that can run at once, at least 1
 * @param share what part each of them has, when all run, of the cores that one alone would use;
 *     above 0 and at most 1
 * @param start seconds that a task takes then before it reduces
 * @param perByte seconds that it takes then for a byte before compression
 */
public record TaskCost(int containers, double share, double start, double perByte) {
  /** The usual least size of reduce work, in bytes. */
  public static final long LEAST = 16L << 20;

  /** The usual greatest size of reduce work, in bytes. */
  public static final long GREATEST = 2L << 30;

  /** How much longer the reduce phase may take when it needs fewer tasks for that. */
  private static final double NEARLY_EQUAL = 1.125;

  /**
   * A task may get so much more than its even share, an eighth: borders and partitions do not lie
   * where shares end, and one task too many would be a wave of its own.
   */
  private static final int SLACK = 8;

  /** Checks the measurements. */
  public TaskCost {
    boolean shared = share > 0 && share <= 1;
    if (containers < 1 || !shared || !isTime(start) || !isTime(perByte)) {
      throw new IllegalArgumentException(
          "no cost of tasks: containers=%s share=%s start=%s per byte=%s"
              .formatted(containers, share, start, perByte));
    }
  }

  private static boolean isTime(double seconds) {
    return seconds >= 0 && Double.isFinite(seconds);
  }

  /** Seconds that the reduce phase takes when {@code tasks} share {@code bytes} evenly. */
  double seconds(long bytes, long tasks) {
    long waves = PieceCutter.ceilDiv(tasks, containers);
    double atOnce = (double) tasks / waves / containers;
    return waves * (start + bytes * perByte / tasks) * Math.max(share, atOnce);
  }

  /** The target with the usual bounds, {@link #LEAST} and {@link #GREATEST}. */
  public WorkTarget target(long bytes) {
    return target(bytes, LEAST, GREATEST);
  }

  /**
   * The size with which the reduce phase ends first, if tasks were all alike. With {@code n} tasks
   * it takes
   *
   * <pre>   waves x (start + bytes / n x perByte) x max(share, n / waves / containers)   </pre>
   *
   * where waves is n / containers, rounded up. More tasks in the same waves end earlier, as long as
   * there is a core for each; one more wave costs a start and gains nothing over waves that are
   * full. So no more are looked at than fill the fewest waves that the greatest size allows. Taken
   * are the fewest with which the phase is at most an eighth longer than it could be: each one less
   * saves a start. The size is an eighth above an even share, if the greatest allows it.
   *
   * @param bytes of all partitions, before compression
   * @param least size in bytes, at least 1
   * @param greatest size in bytes
   */
  public WorkTarget target(long bytes, long least, long greatest) {
    if (bytes < 0 || least < 1 || greatest < least) {
      throw new IllegalArgumentException(
          "no range of sizes: bytes=%s least=%s greatest=%s".formatted(bytes, least, greatest));
    }
    long tasks = tasks(bytes, least, greatest);
    long even = PieceCutter.ceilDiv(bytes, tasks);
    long target = Math.max(Math.max(least, even), Math.min(greatest, even + even / SLACK));
    return new WorkTarget(
        target,
        String.format(
            Locale.ROOT,
            "%s as reckoned: %d %s in %d containers end after %.1f s"
                + " (%.1f s to start, %.1f s for each GiB, %.2f of its cores)",
            PlanText.size(target),
            tasks,
            tasks == 1 ? "task" : "tasks",
            containers,
            seconds(bytes, tasks),
            start,
            perByte * (1L << 30),
            share));
  }

  /** How many tasks of that size there are. */
  long tasks(long bytes, long least, long greatest) {
    long fewest = Math.max(1, PieceCutter.ceilDiv(bytes, greatest));
    long most = Math.max(fewest, bytes / least);
    long waves = PieceCutter.ceilDiv(fewest, containers);
    long fastest = Math.min(most, waves * containers);
    double shortest = Double.MAX_VALUE;
    for (long tasks = fewest; tasks <= fastest; tasks++) {
      shortest = Math.min(shortest, seconds(bytes, tasks));
    }
    long enough = fewest;
    while (seconds(bytes, enough) > NEARLY_EQUAL * shortest) {
      enough++;
    }
    return enough;
  }
}
