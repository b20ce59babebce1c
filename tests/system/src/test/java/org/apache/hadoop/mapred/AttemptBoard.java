package org.apache.hadoop.mapred;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapreduce.checkpoint.TaskCheckpointID;

/**
 * The AM's side of the umbilical for tasks that run in the test's JVM: takes status updates and
 * hands out map completion events. Thread-safe.
 *
 * <p>In Hadoop's package because the umbilical names types that only this package sees.
 */
public final class AttemptBoard implements TaskUmbilicalProtocol {
  private final List<TaskCompletionEvent> mapEvents = new ArrayList<>();
  private final Map<TaskAttemptID, Counters> counters = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, Integer> fetchFailures = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, String> errors = new ConcurrentHashMap<>();

  /** The attempt counts from now on. */
  public synchronized void mapSucceeded(TaskAttemptID attempt) {
    add(attempt, TaskCompletionEvent.Status.SUCCEEDED);
  }

  /** The attempt, which had succeeded, does not count any more. */
  public synchronized void mapObsolete(TaskAttemptID attempt) {
    add(attempt, TaskCompletionEvent.Status.OBSOLETE);
  }

  private void add(TaskAttemptID attempt, TaskCompletionEvent.Status status) {
    mapEvents.add(
        new TaskCompletionEvent(
            mapEvents.size(),
            attempt,
            attempt.getTaskID().getId(),
            true,
            status,
            "http://localhost:1"));
  }

  /** Map attempts that reducers have reported as lost at least so often. */
  public List<TaskAttemptID> reportedLost(int times) {
    return fetchFailures.entrySet().stream()
        .filter(entry -> entry.getValue() >= times)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Counters of the attempts that reported any, by attempt. */
  public Map<TaskAttemptID, Counters> counters() {
    return new TreeMap<>(counters);
  }

  @Override
  public AMFeedback statusUpdate(TaskAttemptID attempt, TaskStatus status) {
    if (status != null && status.getCounters() != null) {
      counters.put(attempt, status.getCounters());
    }
    if (status != null && status.getFetchFailedMaps() != null) {
      status.getFetchFailedMaps().forEach(map -> fetchFailures.merge(map, 1, Integer::sum));
    }
    AMFeedback feedback = new AMFeedback();
    feedback.setTaskFound(true);
    return feedback;
  }

  @Override
  public synchronized MapTaskCompletionEventsUpdate getMapCompletionEvents(
      JobID job, int from, int most, TaskAttemptID reduce) {
    int end = Math.min(mapEvents.size(), from + most);
    return new MapTaskCompletionEventsUpdate(
        mapEvents.subList(Math.min(from, end), end).toArray(new TaskCompletionEvent[0]), false);
  }

  @Override
  public JvmTask getTask(JvmContext context) {
    return new JvmTask(null, true);
  }

  @Override
  public void reportDiagnosticInfo(TaskAttemptID attempt, String trace) {
    errors.merge(attempt, trace, (a, b) -> a + "\n" + b);
  }

  @Override
  public void reportNextRecordRange(TaskAttemptID attempt, SortedRanges.Range range) {
    errors.put(attempt, "skipping is not expected: " + range);
  }

  @Override
  public void done(TaskAttemptID attempt) {
    errors.remove(attempt);
  }

  @Override
  public void commitPending(TaskAttemptID attempt, TaskStatus status) {
    statusUpdate(attempt, status);
  }

  @Override
  public boolean canCommit(TaskAttemptID attempt) {
    return true;
  }

  @Override
  public void shuffleError(TaskAttemptID attempt, String message) {
    reportDiagnosticInfo(attempt, message);
  }

  @Override
  public void fsError(TaskAttemptID attempt, String message) {
    reportDiagnosticInfo(attempt, message);
  }

  @Override
  public void fatalError(TaskAttemptID attempt, String message, boolean fast) {
    reportDiagnosticInfo(attempt, message);
  }

  @Override
  public void preempted(TaskAttemptID attempt, TaskStatus status) {
    statusUpdate(attempt, status);
  }

  @Override
  public TaskCheckpointID getCheckpointID(TaskID task) {
    return null;
  }

  @Override
  public void setCheckpointID(TaskID task, TaskCheckpointID checkpoint) {
    throw new IllegalStateException("no task of these tests is preempted: " + task);
  }

  @Override
  public long getProtocolVersion(String protocol, long version) {
    return versionID;
  }

  @Override
  public ProtocolSignature getProtocolSignature(String protocol, long version, int hash)
      throws IOException {
    return ProtocolSignature.getProtocolSignature(this, protocol, version, hash);
  }
}
