package dev.sailfish.localcluster.client;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Who decides how many reduce tasks a job of Sailfish's shuffle has. */
public enum ReduceWork {
  /** The job, in Hadoop's own ApplicationMaster: nothing but the plug-in is Sailfish's. */
  STOCK(Map.of()),
  /** The job, in Sailfish's ApplicationMaster. */
  FIXED(Map.of(ReduceWork.APPLICATION_MASTER, ReduceWork.SAILFISH)),
  /** The data, in Sailfish's ApplicationMaster. */
  AUTO(Map.of(ReduceWork.APPLICATION_MASTER, ReduceWork.SAILFISH, ReduceWork.MODE, "auto"));

  /**
   * Stands in a local cluster's {@code yarn.app.mapreduce.am.command-opts}, so that a job can
   * choose its ApplicationMaster and leave the other options as they are.
   */
  public static final String APPLICATION_MASTER = "sailfish.application.master";

  /** Key of Hadoop with the JVM's options of a job's ApplicationMaster, or its class after them. */
  public static final String MASTER_OPTIONS = "yarn.app.mapreduce.am.command-opts";

  /**
   * What selects Sailfish's ApplicationMaster behind the other options. It has the first compiler
   * alone: most jobs are over before the second one has saved what it costs. Hadoop's client
   * replaces the word in brackets, and would add its own options behind the class without it.
   */
  public static final String SAILFISH =
      "-XX:TieredStopAtLevel=1 <ADD_OPENS> " + ReduceWork.MASTER_CLASS;

  private static final String MASTER_CLASS = "dev.sailfish.hadoop.am.SailfishAppMaster";
  private static final String MODE = "sailfish.reduce.work";

  private final Map<String, String> configuration;

  ReduceWork(Map<String, String> configuration) {
    this.configuration = configuration;
  }

  /** The keys of a job's configuration that say so, on a local cluster. */
  public Map<String, String> configuration() {
    return configuration;
  }

  /**
   * What is said of a job that asks for {@code auto} and sets the options of its ApplicationMaster
   * so that it gets Hadoop's own, which knows no plan; empty for any other job.
   */
  public static Optional<String> warning(JobRequest request) {
    Map<String, String> keys = request.allKeys();
    return AUTO.toString().equals(keys.get(MODE))
        ? warning(keys, MODE + "=auto")
        : Optional.empty();
  }

  /**
   * What is said of a setting that needs Sailfish's ApplicationMaster, when a job with these keys
   * gets Hadoop's own; empty if it does not.
   */
  static Optional<String> warning(Map<String, String> keys, String setting) {
    String options = keys.get(MASTER_OPTIONS);
    boolean ours =
        options == null
            || options.contains(MASTER_CLASS)
            || options.contains("${" + APPLICATION_MASTER + "}");
    if (ours) {
      return Optional.empty();
    }
    return Optional.of(
        "%s has no effect: the job sets %s=%s, which selects Hadoop's own ApplicationMaster;"
                .formatted(setting, MASTER_OPTIONS, options)
            + " write %s behind it.".formatted(SAILFISH));
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
