package dev.sailfish.lineage.hadoop;

import java.util.ServiceLoader;
import org.apache.hadoop.conf.Configuration;

/** Who records what a process creates: its one recorder where it is a task, else nobody. */
final class OutputRecorders {
  // Hadoop's names: this package does not see MapReduce. Spark sets the first alone.
  private static final String ATTEMPT = "mapreduce.task.attempt.id";
  private static final String JOB_DIRECTORY = "mapreduce.job.dir";

  private OutputRecorders() {}

  /**
   * The recorder for a file system.
   *
   * @param settings of the same configuration
   * @return null: nothing is recorded
   */
  static OutputRecorder of(Configuration conf, StoreSettings settings) {
    boolean isTask = conf.get(ATTEMPT) != null && conf.get(JOB_DIRECTORY) != null;
    return isTask && settings.get(LineageKey.RECORD) ? OfThisProcess.RECORDER : null;
  }

  /** Looked up when the first task of this process has its first file system. */
  private static final class OfThisProcess {
    static final OutputRecorder RECORDER =
        ServiceLoader.load(OutputRecorder.class, OutputRecorder.class.getClassLoader())
            .findFirst()
            .orElse(null);

    private OfThisProcess() {}
  }
}
