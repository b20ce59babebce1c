package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.workbuilder.plan.TaskCost;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;

/**
 * What the maps of a job have cost: how long until the map's JVM was ready to take its first
 * record, as it has counted itself, and how long from then on for each byte that it gave out.
 * Reduce tasks are expected to cost the same. When maps have used less CPU while they started than
 * a JVM does that starts alone, all containers together want more cores than there are, and fewer
 * tasks are each faster. As many tasks can run at once as maps have, at least: what the
 * ResourceManager says is free does not have the containers of the last maps yet.
 */
final class MapCosts {
  // Where no map has counted.
  private static final double USUAL_START_S = 3;
  private static final double USUAL_S_PER_BYTE = 20e-9;

  /** A start that gets less than that waits for something else as well. */
  private static final double LEAST_SHARE = 0.25;

  private MapCosts() {}

  /**
   * The cost by all maps that are done.
   *
   * @param containers of reduce tasks that the ResourceManager would give now
   * @param cores that a JVM uses on average while it starts alone: the ApplicationMaster's, which
   *     starts when no map runs
   */
  static TaskCost cost(Job job, int containers, double cores) {
    long maps = 0;
    long startMs = 0;
    long startCpuMs = 0;
    long workMs = 0;
    long bytes = 0;
    List<long[]> times = new ArrayList<>();
    for (Task task : job.getTasks(TaskType.MAP).values()) {
      for (TaskAttempt attempt : task.getAttempts().values()) {
        Counters counters = attempt.getCounters();
        long ownMs = counters.findCounter(WorkCounter.GROUP, WorkCounter.MAP_START_MS).getValue();
        if (ownMs > 0 && attempt.getState() == TaskAttemptState.SUCCEEDED) {
          maps++;
          times.add(new long[] {attempt.getLaunchTime(), attempt.getFinishTime()});
          startMs += ownMs;
          startCpuMs +=
              counters.findCounter(WorkCounter.GROUP, WorkCounter.MAP_START_CPU_MS).getValue();
          workMs += Math.max(0, attempt.getFinishTime() - attempt.getLaunchTime() - ownMs);
          bytes += counters.findCounter(TaskCounter.MAP_OUTPUT_BYTES).getValue();
        }
      }
    }
    return new TaskCost(
        Math.max(Math.max(1, containers), mostAtOnce(times)),
        maps == 0 ? 1 : share((double) startCpuMs / startMs, cores),
        maps == 0 ? USUAL_START_S : startMs / 1e3 / maps,
        bytes == 0 ? USUAL_S_PER_BYTE : workMs / 1e3 / bytes);
  }

  /**
   * What part of what they can use tasks get.
   *
   * @param used cores that maps have used while they started
   * @param alone cores that a JVM uses which starts alone
   */
  static double share(double used, double alone) {
    return Math.min(1, Math.max(LEAST_SHARE, used / Math.max(1, alone)));
  }

  /**
   * How many ran at the same time, at most.
   *
   * @param times when each began and ended
   */
  static int mostAtOnce(List<long[]> times) {
    TreeMap<Long, Integer> changes = new TreeMap<>();
    for (long[] time : times) {
      changes.merge(time[0], 1, Integer::sum);
      changes.merge(time[1], -1, Integer::sum);
    }
    int running = 0;
    int most = 0;
    for (int change : changes.values()) {
      running += change;
      most = Math.max(most, running);
    }
    return most;
  }
}
