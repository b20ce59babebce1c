package dev.sailfish.hadoop.am;

import org.apache.hadoop.mapreduce.v2.api.records.TaskState;
import org.apache.hadoop.mapreduce.v2.app.job.JobStateInternal;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskEvent;
import org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stock's job, of which only some tasks may be needed: the others are not made, and those that are
 * have the numbers that they have in the whole job. When some are all, its diagnostics say why a
 * task has failed, for who waits for the files.
 */
class NeededJobImpl extends JobImpl {
  private static final Logger LOG = LoggerFactory.getLogger(NeededJobImpl.class);

  private final NeededTasks needed;
  private int maps;
  private int reduces;

  NeededJobImpl(
      JobParts parts, NeededTasks needed, JobStateInternal forcedState, String diagnostic) {
    super(
        parts.job(),
        parts.attempt(),
        parts.conf(),
        parts.events(),
        parts.listener(),
        parts.secrets(),
        parts.credentials(),
        parts.clock(),
        parts.completed(),
        parts.metrics(),
        parts.committer(),
        parts.newApiCommitter(),
        parts.user(),
        parts.submitTime(),
        parts.masters(),
        parts.context(),
        forcedState,
        diagnostic);
    this.needed = needed;
  }

  final NeededTasks needed() {
    return needed;
  }

  @Override
  public void handle(JobEvent event) {
    if (event instanceof JobTaskEvent ended && ended.getState() == TaskState.FAILED) {
      sayWhy(ended);
    }
    super.handle(event);
    if (event.getType() == JobEventType.JOB_INIT && !needed.isAll()) {
      LOG.info("Tasks of {} that are needed: {}", getID(), needed);
      StockParts.setMaps(this, maps);
      StockParts.setReduces(this, reduces);
    }
  }

  private void sayWhy(JobTaskEvent failed) {
    Task task = needed.isAll() ? null : getTask(failed.getTaskID());
    if (task != null) {
      for (TaskAttempt attempt : task.getAttempts().values()) {
        attempt.getDiagnostics().forEach(text -> addDiagnostic(attempt.getID() + ": " + text));
      }
    }
  }

  @Override
  protected void addTask(Task task) {
    if (needed.has(task.getID())) {
      switch (task.getType()) {
        case MAP -> maps++;
        case REDUCE -> reduces++;
      }
      super.addTask(task);
    }
  }
}
