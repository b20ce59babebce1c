package dev.sailfish.lineage.hadoop;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/** What Hadoop says of the process in which a file system is. */
final class Container {
  private static final String TIMEOUT = "mapreduce.task.timeout";
  private static final String PINGS = "mapreduce.task.ping-for-liveliness-check.enabled";
  private static final long DEFAULT_TIMEOUT_MS = 600_000;
  private static final Duration MARGIN = Duration.ofMinutes(1);
  private static final int LEAST_PARTS = 4;

  /** A container's id, as YARN writes it: its application's time and number are in it. */
  private static final Pattern ID = Pattern.compile("container_(?:e\\d+_)?(\\d+)_(\\d+)_\\d+_\\d+");

  private Container() {}

  /**
   * The YARN application whose container the process is in; empty: it is in none.
   *
   * @param environment of the process
   */
  static String application(Map<String, String> environment) {
    Matcher id = ID.matcher(environment.getOrDefault("CONTAINER_ID", ""));
    return id.matches() ? "application_" + id.group(1) + "_" + id.group(2) : "";
  }

  /** Whether the process is a task of a MapReduce job; Spark sets the first of the keys, too. */
  static boolean isTask(Configuration conf) {
    return conf.get("mapreduce.task.attempt.id") != null && conf.get("mapreduce.job.dir") != null;
  }

  /**
   * How long a read may take before the task is killed that reads, because it makes no progress: a
   * file system has no way to say that it does. Empty: that does not happen.
   */
  static Optional<Duration> longestRead(Configuration conf) {
    Duration timeout = Duration.ofMillis(conf.getLong(TIMEOUT, DEFAULT_TIMEOUT_MS));
    boolean isKilled = isTask(conf) && timeout.toMillis() > 0 && !conf.getBoolean(PINGS, false);
    Duration part = timeout.dividedBy(LEAST_PARTS);
    Duration margin = part.compareTo(MARGIN) < 0 ? part : MARGIN;
    return isKilled ? Optional.of(timeout.minus(margin)) : Optional.empty();
  }
}
