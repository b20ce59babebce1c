package dev.sailfish.hadoop.am.warm;

import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import java.util.Objects;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.serializer.JavaSerialization;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.db.DBConfiguration;

/**
 * How a job's containers are used again.
 *
 * @param mode {@code isolated}, {@code shared} or {@code off}
 * @param why one sentence for people
 * @param anyKind whether a container that was started for a map may run reduces too, and the other
 *     way round
 * @param localityDelayMs how long an idle container waits for a map of its node, then of its rack
 * @param idleMs how long it is kept without a task
 * @param mostTasks that one JVM runs
 * @param ageMs from which a container gets no other task
 * @param ageFullMs the same where the ResourceManager has nothing left for the job
 */
public record WarmSettings(
    String mode,
    String why,
    boolean anyKind,
    long localityDelayMs,
    long idleMs,
    int mostTasks,
    long ageMs,
    long ageFullMs) {
  private static final String OFF = "off";
  private static final String ISOLATED = "isolated";

  /** Of a job, as its ApplicationMaster knows the configuration. */
  public static WarmSettings of(JobConf conf) {
    SailfishJob job = SailfishJob.keys(conf);
    String mode = job.get(JobKey.WARM_TASKS);
    String refusal = mode.equals(OFF) ? "" : refusal(conf, job);
    return new WarmSettings(
        refusal.isEmpty() ? mode : OFF,
        refusal.isEmpty()
            ? JobKey.WARM_TASKS + "=" + mode
            : "off, although " + JobKey.WARM_TASKS + "=" + mode + ": " + refusal,
        sameForBothKinds(conf),
        job.get(JobKey.WARM_LOCALITY_DELAY).toMillis(),
        job.get(JobKey.WARM_IDLE).toMillis(),
        job.get(JobKey.WARM_MOST_TASKS),
        job.get(JobKey.WARM_AGE).toMillis(),
        job.get(JobKey.WARM_AGE_FULL).toMillis());
  }

  /** Whether containers run more than one task. */
  public boolean on() {
    return !mode.equals(OFF);
  }

  /** Whether each task has its own class loader for the user's classes. */
  boolean isolated() {
    return mode.equals(ISOLATED);
  }

  private static String refusal(JobConf conf, SailfishJob job) {
    String queue = conf.get(MRJobConfig.QUEUE_NAME, "default");
    if (job.get(JobKey.WARM_OFF_QUEUES).contains(queue)) {
      return "queue " + queue + " is in " + JobKey.WARM_OFF_QUEUES;
    }
    if (conf.getProfileEnabled()) {
      return "its tasks are profiled, each in a JVM of its own";
    }
    if (conf.getInt(MRJobConfig.MR_NUM_OPPORTUNISTIC_MAPS_PERCENT, 0) > 0) {
      return "some of its containers are opportunistic";
    }
    if (OrderFile.isIn(conf) || conf.get(SailfishJob.KEPT_JOB) != null) {
      return "it recomputes lost files, and a process of it makes those of one task";
    }
    boolean apart =
        job.get(JobKey.WARM_TASKS).equals(ISOLATED)
            && !conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false);
    return apart ? looksForUsersClasses(conf) : "";
  }

  /**
   * Hadoop's own code that looks for classes beside itself finds none of the user's where these
   * have a loader of their own.
   *
   * @return what of it the job uses; empty for nothing
   */
  private static String looksForUsersClasses(JobConf conf) {
    for (String serialization :
        conf.getTrimmedStrings(CommonConfigurationKeys.IO_SERIALIZATIONS_KEY)) {
      if (serialization.equals(JavaSerialization.class.getName())) {
        return CommonConfigurationKeys.IO_SERIALIZATIONS_KEY
            + " has "
            + serialization
            + ", which does not find classes that each task has for itself; `shared` can run it";
      }
    }
    String driver = conf.get(DBConfiguration.DRIVER_CLASS_PROPERTY);
    return driver == null
        ? ""
        : DBConfiguration.DRIVER_CLASS_PROPERTY
            + " is "
            + driver
            + ", and all tasks of a JVM have the same drivers; `shared` can run it";
  }

  /** Whether JVMs of maps and reduces are started in the same way, but for where they log to. */
  private static boolean sameForBothKinds(JobConf conf) {
    return Objects.equals(conf.getTaskJavaOpts(TaskType.MAP), conf.getTaskJavaOpts(TaskType.REDUCE))
        && Objects.equals(
            conf.get(MRJobConfig.MAP_NODE_LABEL_EXP), conf.get(MRJobConfig.REDUCE_NODE_LABEL_EXP))
        && LaunchContexts.environment(conf, true).equals(LaunchContexts.environment(conf, false));
  }
}
