package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.lineage.hadoop.TaskStore;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The record of a job in one store, for one of its tasks. Thread-safe. */
final class JobRecord {
  private static final Logger LOG = LoggerFactory.getLogger(JobRecorder.class);

  private final TaskAttemptID attempt;
  private final Configuration conf;

  // Guarded by this object's monitor.
  private long id; // 0: nobody has asked
  private UnrecordedException obstacle;

  JobRecord(TaskAttemptID attempt, Configuration conf) {
    this.attempt = attempt;
    this.conf = conf;
  }

  /**
   * Its number; looked up, or made, at the first call. Waits.
   *
   * @throws UnrecordedException when there is none, always the same
   */
  synchronized long id(TaskStore store) throws UnrecordedException {
    if (obstacle != null) {
      throw obstacle;
    }
    if (id == 0) {
      id = find(store);
    }
    return id;
  }

  // A job's own classes read its splits, and may throw anything.
  private long find(TaskStore store) throws UnrecordedException {
    try {
      return new RecordMaker(store, conf, attempt, System::nanoTime).findOrMake();
    } catch (UnrecordedException e) {
      throw e;
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new UnrecordedException(RecordObstacle.OBSTACLE_OTHER, e.toString(), e);
    }
  }

  /** There is none for this task from now on; says so once. */
  synchronized void fail(UnrecordedException cause) {
    if (obstacle == null) {
      obstacle = cause;
      LOG.warn(
          "Lost files of {} cannot be made again, as there is no record of them: {}. They are"
              + " written through where a file system is mounted",
          attempt.getJobID(),
          cause.getMessage(),
          cause.getCause());
    }
  }
}
