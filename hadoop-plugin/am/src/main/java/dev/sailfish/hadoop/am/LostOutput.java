package dev.sailfish.hadoop.am;

import java.util.function.Function;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptKillEvent;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;

/**
 * Withdraws map attempts whose output is lost, so that stock runs their maps again.
 *
 * @param tasks of the job, by their ids
 * @param events of the ApplicationMaster
 */
record LostOutput(Function<TaskId, Task> tasks, EventHandler<Event<?>> events) {
  /**
   * Withdraws an attempt that has succeeded. Where Hadoop does not know yet that the container has
   * ended, an attempt is killed only when its node has stopped that. So the container is taken for
   * ended first; it ends by itself or with its node.
   *
   * @return false where it does not count any more
   */
  boolean withdraw(TaskAttemptId map, String why) {
    Task task = tasks.apply(map.getTaskId());
    TaskAttempt attempt = task == null ? null : task.getAttempt(map);
    if (attempt == null || attempt.getState() != TaskAttemptState.SUCCEEDED) {
      return false;
    }
    events.handle(new TaskAttemptEvent(map, TaskAttemptEventType.TA_CONTAINER_COMPLETED));
    events.handle(new TaskAttemptKillEvent(map, "Map output is lost: " + why, true));
    return true;
  }
}
