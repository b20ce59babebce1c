package dev.sailfish.workbuilder.plan;

import java.util.Locale;

/**
 * What reduce tasks cost on a cluster, as the caller has measured it, and the size of reduce work
 * that follows from it.
 *
 * @param containers that can run at once, at least 1
 * @param start seconds that a task takes before it reduces
 * @param perByte seconds that it takes for a byte before compression
 */
public record TaskCost(int containers, double start, double perByte) {
  /** The usual least size of reduce work, in bytes. */
  public static final long LEAST = 16L << 20;

  /** The usual greatest size of reduce work, in bytes. */
  public static final long GREATEST = 1L << 30;

  /** How much longer the reduce phase may take when it needs fewer tasks for that. */
  private static final double NEARLY_EQUAL = 1.05;

  /**
   * A task may get so much more than its even share, an eighth: borders and partitions do not lie
   * where shares end, and one task too many would be a wave of its own.
   */
  private static final int SLACK = 8;

  /** Checks the measurements. */
  public TaskCost {
    if (containers < 1 || !isTime(start) || !isTime(perByte)) {
      throw new IllegalArgumentException(
          "no cost of tasks: containers=%s start=%s per byte=%s"
              .formatted(containers, start, perByte));
    }
  }

  private static boolean isTime(double seconds) {
    return seconds >= 0 && Double.isFinite(seconds);
  }

  /** Seconds that the reduce phase takes when {@code tasks} share {@code bytes} evenly. */
  double seconds(long bytes, long tasks) {
    return PieceCutter.ceilDiv(tasks, containers) * (start + bytes * perByte / tasks);
  }

  /** The target with the usual bounds, {@link #LEAST} and {@link #GREATEST}. */
  public WorkTarget target(long bytes) {
    return target(bytes, LEAST, GREATEST);
  }

  /**
   * The size with which the reduce phase ends first, if tasks were all alike. With {@code n} tasks
   * it takes
   *
   * <pre>   waves x (start + bytes / n x perByte),    waves = n / containers, rounded up   </pre>
   *
   * <p>More tasks in the same waves end earlier; one more wave costs a start and gains nothing over
   * waves that are full. So the earliest end is that of as many tasks as fill the fewest waves that
   * the greatest size allows. Of those as many are dropped as may be while it takes at most 5 %
   * longer. The size is an eighth above an even share, if the greatest allows it.
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
    long share = PieceCutter.ceilDiv(bytes, tasks);
    long target = Math.max(Math.max(least, share), Math.min(greatest, share + share / SLACK));
    return new WorkTarget(
        target,
        String.format(
            Locale.ROOT,
            "%s as reckoned: %d tasks in %d containers end after %.1f s"
                + " (%.1f s to start, %.1f s for each GiB)",
            PlanText.size(target),
            tasks,
            containers,
            seconds(bytes, tasks),
            start,
            perByte * (1L << 30)));
  }

  /** How many tasks of that size there are. */
  long tasks(long bytes, long least, long greatest) {
    long fewest = Math.max(1, PieceCutter.ceilDiv(bytes, greatest));
    long most = Math.max(fewest, bytes / least);
    long waves = PieceCutter.ceilDiv(fewest, containers);
    long fastest = Math.min(most, waves * containers);
    double reducing = NEARLY_EQUAL * seconds(bytes, fastest) / waves - start;
    long enough = reducing > 0 ? (long) Math.ceil(bytes * perByte / reducing) : fewest;
    return Math.max(fewest, Math.min(enough, fastest));
  }
}
