package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.workflow.kept.KeptIfiles.Kept;
import dev.sailfish.workflow.step.StepRequest;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.Credentials;

/**
 * What is other in the configuration of a job that recomputes than in that of the job as it was
 * recorded: where it runs, for whom it runs, and what is done once for a job. Its programs, and
 * what they are told, stay.
 */
final class JobChanges {
  /** Selects Sailfish's ApplicationMaster; see docs/APPLICATION-MASTER.md. */
  static final String MASTER = "dev.sailfish.hadoop.am.SailfishAppMaster";

  /** Key: the job whose I-files the reduce tasks read in place of what maps would write. */
  private static final String KEPT_JOB = "sailfish.reduce.kept.job";

  /** Among the secrets of the job's tasks: with what they read them. */
  private static final Text KEPT_ACCESS_KEY = new Text("sailfish.kept.access.key");

  private static final String MASTER_WITH_FLAG = " <ADD_OPENS> " + MASTER;

  private static final int DEFAULT_ATTEMPTS = 4;

  /** Of the job; what the cluster says of all others counts. */
  private static final String OF_THE_JOB = "yarn.app.";

  /** Where the cluster's services are, which may have moved. */
  private static final List<String> OF_THE_CLUSTER =
      List.of(
          "yarn.",
          MRJobConfig.MR_AM_STAGING_DIR,
          "mapreduce.jobhistory.",
          "sailfish.metaserver.",
          "sailfish.lineage.client.masters");

  /** How to connect to whom, and for how long to wait and to try. */
  private static final List<String> OF_CONNECTIONS =
      List.of("ipc.", "yarn.client.", "yarn.app.mapreduce.client");

  /** Of a task, of the job's first run, or for who waits for the job's end. */
  private static final List<String> NOT_AGAIN =
      List.of(
          MRJobConfig.TASK_ID,
          MRJobConfig.TASK_ATTEMPT_ID,
          MRJobConfig.TASK_ISMAP,
          MRJobConfig.TASK_PARTITION,
          MRJobConfig.TASK_OUTPUT_DIR,
          MRJobConfig.ID,
          MRJobConfig.APPLICATION_ATTEMPT_ID,
          MRJobConfig.CACHE_LOCALFILES,
          MRJobConfig.CACHE_LOCALARCHIVES,
          MRJobConfig.CACHE_FILES_SHARED_CACHE_UPLOAD_POLICIES,
          MRJobConfig.CACHE_ARCHIVES_SHARED_CACHE_UPLOAD_POLICIES,
          MRJobConfig.JOBJAR_SHARED_CACHE_UPLOAD_POLICY,
          MRJobConfig.SHARED_CACHE_MODE,
          MRJobConfig.PRESERVE_FAILED_TASK_FILES,
          MRJobConfig.PRESERVE_FILES_PATTERN,
          MRJobConfig.MAPREDUCE_JOB_CREDENTIALS_BINARY,
          MRJobConfig.JOB_TOKEN_TRACKING_IDS,
          MRJobConfig.RESERVATION_ID,
          MRJobConfig.MR_JOB_END_NOTIFICATION_URL,
          "mapreduce.job.end-notification.custom-notifier-class",
          MRJobConfig.WORKFLOW_ID,
          "sailfish.reduce.work.plans",
          "sailfish.keep.ifiles",
          "sailfish.keep.ifiles.until.checkpointed",
          KEPT_JOB);

  private JobChanges() {}

  /**
   * Has this process connect for the job as its own configuration says, and not as a user has
   * recorded it.
   */
  static void connect(Configuration job, Configuration cluster) {
    for (Map.Entry<String, String> entry : job) {
      if (isOfConnections(entry.getKey())) {
        job.unset(entry.getKey());
      }
    }
    for (Map.Entry<String, String> entry : cluster) {
      if (isOfConnections(entry.getKey())) {
        job.set(entry.getKey(), entry.getValue());
      }
    }
  }

  private static boolean isOfConnections(String key) {
    return OF_CONNECTIONS.stream().anyMatch(key::startsWith);
  }

  /**
   * Makes the changes that do not depend on the staging directory's content.
   *
   * @param job the configuration as it was recorded
   * @param cluster that of the manager
   * @param owner of the record
   * @param staging of the new job
   */
  static void apply(
      Configuration job,
      Configuration cluster,
      StepRequest request,
      Recipe recipe,
      String owner,
      Path staging) {
    String options = masterOptions(job, cluster);
    for (Map.Entry<String, String> entry : cluster) {
      if (isOfTheCluster(entry.getKey())) {
        job.set(entry.getKey(), entry.getValue());
      }
    }
    NOT_AGAIN.forEach(job::unset);
    job.set(MRJobConfig.MR_AM_COMMAND_OPTS, options);
    job.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    job.set(MRJobConfig.MAPREDUCE_JOB_DIR, staging.toString());
    job.set(MRJobConfig.USER_NAME, owner);
    job.set(
        MRJobConfig.JOB_NAME,
        "Recompute of %s (%s)"
            .formatted(
                recipe.getMapReduce().getJob(), job.get(MRJobConfig.JOB_NAME, "without a name")));
    job.set(
        MRJobConfig.QUEUE_NAME, request.queue().isEmpty() ? recipe.getQueue() : request.queue());
    job.setInt(MRJobConfig.PRIORITY, request.priority());
    if (request.tags().isEmpty()) {
      job.unset(MRJobConfig.JOB_TAGS);
    } else {
      job.set(MRJobConfig.JOB_TAGS, String.join(",", request.tags()));
    }
    if (request.tasks() > 0) {
      job.setInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, request.tasks());
      job.setInt(MRJobConfig.JOB_RUNNING_REDUCE_LIMIT, request.tasks());
    }
    // Only one attempt at a time may write a lost file.
    job.setBoolean(MRJobConfig.MAP_SPECULATIVE, false);
    job.setBoolean(MRJobConfig.REDUCE_SPECULATIVE, false);
    job.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false);
    job.setBoolean(MRJobConfig.MR_AM_JOB_RECOVERY_ENABLE, false);
    job.setBoolean(MRJobConfig.TASK_PROFILE, false);
  }

  /** Has the reduce tasks read what is kept; where they cannot, a further attempt reads of maps. */
  static void read(Kept kept, Configuration job) {
    job.set(KEPT_JOB, kept.id());
    job.set(MRJobConfig.JOB_NAME, job.get(MRJobConfig.JOB_NAME) + " from kept I-files");
    int attempts = job.getInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, DEFAULT_ATTEMPTS);
    job.setInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, Math.max(2, attempts));
  }

  /** Gives tasks what they need to read it. */
  static void allow(Kept kept, Credentials tasks) {
    kept.accessKey().ifPresent(key -> tasks.addSecretKey(KEPT_ACCESS_KEY, key));
  }

  private static boolean isOfTheCluster(String key) {
    return !key.startsWith(OF_THE_JOB) && OF_THE_CLUSTER.stream().anyMatch(key::startsWith)
        || key.equals(MRJobConfig.MR_AM_STAGING_DIR);
  }

  /** The job's own, the cluster's, or the job's with the class that is missing. */
  private static String masterOptions(Configuration job, Configuration cluster) {
    String own = options(job);
    String general = options(cluster);
    if (own.contains(MASTER)) {
      return own;
    }
    return general.contains(MASTER) ? general : own + MASTER_WITH_FLAG;
  }

  private static String options(Configuration conf) {
    return conf.get(MRJobConfig.MR_AM_COMMAND_OPTS, MRJobConfig.DEFAULT_MR_AM_COMMAND_OPTS);
  }
}
