package dev.sailfish.localcluster.client;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Whether tasks of a job share JVMs, which Sailfish's ApplicationMaster has them do. */
public enum WarmTasks {
  /** They do, and each task has the user's classes anew. */
  ISOLATED,
  /** They do, and share the user's classes too. */
  SHARED,
  /** Each task has a JVM of its own, as in Hadoop. */
  OFF;

  /** Key of a job's configuration. */
  public static final String KEY = "sailfish.am.warm.tasks";

  /**
   * The keys of a job's configuration that say so, on a local cluster; they select Sailfish's
   * ApplicationMaster where JVMs are shared, and leave it to the job where they are not.
   */
  public Map<String, String> configuration() {
    Map<String, String> keys = new HashMap<>(Map.of(KEY, toString()));
    if (this != OFF) {
      keys.putAll(ReduceWork.FIXED.configuration());
    }
    return keys;
  }

  /**
   * What is said of a job whose tasks are to share JVMs and which sets the options of its
   * ApplicationMaster so that it gets Hadoop's own; empty for any other job.
   */
  public static Optional<String> warning(JobRequest request) {
    Map<String, String> keys = request.allKeys();
    String value = keys.get(KEY);
    return value == null || value.equals(OFF.toString())
        ? Optional.empty()
        : ReduceWork.warning(keys, KEY + "=" + value);
  }

  /** The name on the command line, and the key's value. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
