package dev.sailfish.hadoop.am.report;

import dev.sailfish.workbuilder.plan.ReducePlan;

/**
 * Hears what happens to a job that Hadoop's own pages do not show. Called on the dispatcher's
 * thread and on that which plans, also at the same time; no call waits or throws. What it does not
 * want to know it leaves out.
 */
public interface JobListener extends AutoCloseable {
  /** Hears nothing. */
  JobListener NONE = new JobListener() {};

  /** How a job has ended. */
  enum End {
    SUCCEEDED,
    FAILED,
    KILLED
  }

  /** The job's tasks begin to run. */
  default void running() {}

  /** All maps are done, and a plan of the reduce work is being made. */
  default void planningBegins() {}

  /**
   * No plan could be made of the data, and the job's own partitions are its plan.
   *
   * @param why one sentence for people
   */
  default void planRefused(String why) {}

  /** The plan is there, and its reduce tasks are scheduled. */
  default void planMade(ReducePlan plan) {}

  /**
   * The output of a map is lost and made again.
   *
   * @param task its id, {@code task_1_0001_m_000003}
   * @param why one sentence for people
   */
  default void mapRunsAgain(String task, String why) {}

  /**
   * Map output that was kept of an earlier job is lost, and all maps run.
   *
   * @param why one sentence for people
   */
  default void allMapsRunAgain(String why) {}

  /**
   * The job has ended; nothing else is heard of it.
   *
   * @param why what it has said of itself; may be empty
   */
  default void ended(End end, String why) {}

  /** The ApplicationMaster ends; the only call that may wait, a few seconds. */
  @Override
  default void close() {}
}
