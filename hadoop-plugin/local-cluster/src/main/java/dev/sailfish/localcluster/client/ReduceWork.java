package dev.sailfish.localcluster.client;

import java.util.Locale;
import java.util.Map;

/** Who decides how many reduce tasks a job of Sailfish's shuffle has. */
public enum ReduceWork {
  /** The job, in Hadoop's own ApplicationMaster: nothing but the plug-in is Sailfish's. */
  STOCK(Map.of()),
  /** The job, in Sailfish's ApplicationMaster. */
  FIXED(Map.of(ReduceWork.APPLICATION_MASTER, ReduceWork.SAILFISH)),
  /** The data, in Sailfish's ApplicationMaster. */
  AUTO(Map.of(ReduceWork.APPLICATION_MASTER, ReduceWork.SAILFISH, "sailfish.reduce.work", "auto"));

  /**
   * Stands in a local cluster's {@code yarn.app.mapreduce.am.command-opts}, so that a job can
   * choose its ApplicationMaster and leave the other options as they are.
   */
  public static final String APPLICATION_MASTER = "sailfish.application.master";

  private static final String SAILFISH = "<ADD_OPENS> dev.sailfish.hadoop.am.SailfishAppMaster";

  private final Map<String, String> configuration;

  ReduceWork(Map<String, String> configuration) {
    this.configuration = configuration;
  }

  /** The keys of a job's configuration that say so, on a local cluster. */
  public Map<String, String> configuration() {
    return configuration;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
