package dev.sailfish.hadoop.am;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
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
  private final List<Task> spare = new ArrayList<>(); // maps that run if kept output is lost
  private int splits;
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

  /** How many maps the whole job has. */
  final int splits() {
    return splits;
  }

  /**
   * Has all maps run, where none was needed as long as kept output could be read; on the
   * dispatcher's thread.
   *
   * @return false when they run already, or nothing is kept
   */
  final boolean runMaps() {
    if (spare.isEmpty()) {
      return false;
    }
    Set<TaskId> ids = new LinkedHashSet<>();
    for (Task map : spare) {
      super.addTask(map);
      ids.add(map.getID());
    }
    spare.clear();
    StockParts.setMaps(this, ids.size());
    scheduleTasks(ids, false);
    return true;
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
  protected JobStateInternal checkReadyForCommit() {
    JobStateInternal state = super.checkReadyForCommit();
    if (state == JobStateInternal.COMMITTING && !needed.isAll()) {
      String ran =
          "Tasks that ran: %d of %d maps, %d reduces"
              .formatted(getCompletedMaps(), splits, getCompletedReduces());
      LOG.info("{}", ran);
      addDiagnostic(ran + "\n");
    }
    return state;
  }

  @Override
  protected void addTask(Task task) {
    if (task.getType() == TaskType.MAP) {
      splits++;
      if (needed.readsKept()) {
        spare.add(task);
      }
    }
    if (needed.has(task.getID())) {
      switch (task.getType()) {
        case MAP -> maps++;
        case REDUCE -> reduces++;
      }
      super.addTask(task);
    }
  }
}
