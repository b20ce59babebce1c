package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Fault;
import dev.sailfish.jobs.RandomJobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One job and the faults that meet it.
 *
 * @param ordinal from 0
 * @param jobSeed of the {@link RandomJobSpec}
 * @param settings of the job's configuration, the same for stock but for the shuffle
 * @param faults in no order
 */
record JobPlan(
    int ordinal, long jobSeed, Map<String, String> settings, List<Fault<ChaosCluster>> faults) {
  /** {@code sailfish.client.deadline}, as nobody has set it. */
  private static final Duration CLIENT_DEADLINE = Duration.ofSeconds(120);

  /** {@code sailfish.metaserver.dead.after}, as nobody has set it. */
  private static final Duration DEAD_AFTER = Duration.ofSeconds(30);

  private static final Duration WITHOUT_FAULTS = Duration.ofSeconds(120);
  private static final Duration ATTEMPT = Duration.ofSeconds(30);

  /** What differs from job to job. */
  private static final List<String> VARIED =
      List.of(
          "mapreduce.job.reduce.slowstart.completedmaps",
          "sailfish.am.warm.tasks",
          "sailfish.encrypt.at.rest",
          "sailfish.imerger.memory",
          "sailfish.reduce.work",
          "sailfish.reduce.work.target");

  JobPlan {
    settings = Map.copyOf(settings);
    faults = List.copyOf(faults);
  }

  RandomJobSpec spec() {
    return RandomJobSpec.ofSeed(jobSeed);
  }

  /** Whether its data decides how many reduce tasks it has, and so files. */
  boolean auto() {
    return "auto".equals(settings.get("sailfish.reduce.work"));
  }

  /**
   * After this time the job hangs: each fault may cost a wait for a server, one until it counts as
   * dead, and an attempt of a map and of a reduce. Not the ten minutes of {@code
   * mapreduce.task.timeout}: no task may be found to hang by them.
   */
  Duration deadline() {
    Duration perFault = DEAD_AFTER.plus(CLIENT_DEADLINE).plus(ATTEMPT).plus(ATTEMPT);
    return WITHOUT_FAULTS.plus(perFault.multipliedBy(faults.size()));
  }

  /** The name of the job's directories. */
  String name() {
    return "job-" + ordinal;
  }

  @Override
  public String toString() {
    StringBuilder varied = new StringBuilder();
    for (String key : VARIED) {
      varied.append(' ').append(key).append('=').append(settings.get(key));
    }
    return name() + " " + spec() + varied + " faults=" + faults;
  }
}
