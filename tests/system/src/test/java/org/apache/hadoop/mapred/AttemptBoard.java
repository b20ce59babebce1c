package org.apache.hadoop.mapred;

import dev.sailfish.workbuilder.MapWinners;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.checkpoint.TaskCheckpointID;

/**
 * The AM's side of the umbilical for tasks that run in the test's JVM: takes status updates, hands
 * out map completion events, and counts fetch failures as stock's JobImpl does: an attempt is lost
 * when it was named three times, and once for every two reducers that are shuffling then.
 * Thread-safe.
 *
 * <p>In Hadoop's package because the umbilical names types that only this package sees.
 */
public final class AttemptBoard implements TaskUmbilicalProtocol {
  private static final int NOTIFICATIONS = MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS;
  private static final float FRACTION = MRJobConfig.DEFAULT_MAX_ALLOWED_FETCH_FAILURES_FRACTION;

  private final List<TaskCompletionEvent> mapEvents = new ArrayList<>();
  private final Map<TaskAttemptID, Counters> counters = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, Integer> fetchFailures = new ConcurrentHashMap<>();
  private final Set<TaskAttemptID> lost = new ConcurrentSkipListSet<>();
  private final Map<TaskAttemptID, TaskStatus.Phase> reduces = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, Long> statusAtNs = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, Long> silenceNs = new ConcurrentHashMap<>();
  private final Map<String, Integer> reports = new ConcurrentHashMap<>();
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

  /** Gives a task an owner, as the AM does. */
  public static <T extends Task> T owned(T task) {
    task.setUser(System.getProperty("user.name"));
    return task;
  }

  /** Pairs (map, attempt) of the attempts that count. */
  public synchronized int[] winners() {
    MapWinners winners = new MapWinners(mapEvents.size());
    for (TaskCompletionEvent event : mapEvents) {
      int map = event.getTaskAttemptId().getTaskID().getId();
      if (event.getTaskStatus() == TaskCompletionEvent.Status.SUCCEEDED) {
        winners.succeeded(map, event.getTaskAttemptId().getId());
      } else {
        winners.withdrawn(map, event.getTaskAttemptId().getId());
      }
    }
    return winners.pairs();
  }

  /** Map attempts that reducers have reported as lost as often as the AM wants to hear it. */
  public List<TaskAttemptID> reportedLost() {
    return List.copyOf(lost);
  }

  /** The map failed for good, and the job goes on without it. */
  public synchronized void mapGivenUp(TaskAttemptID attempt) {
    add(attempt, TaskCompletionEvent.Status.TIPFAILED);
  }

  /** The longest time in which an attempt reported no progress; pings are none. */
  public Map<TaskAttemptID, Duration> silences() {
    Map<TaskAttemptID, Duration> silences = new TreeMap<>();
    silenceNs.forEach((attempt, ns) -> silences.put(attempt, Duration.ofNanos(ns)));
    return silences;
  }

  private void heard(TaskAttemptID attempt) {
    long nowNs = System.nanoTime();
    Long beforeNs = statusAtNs.put(attempt, nowNs);
    if (beforeNs != null) {
      silenceNs.merge(attempt, nowNs - beforeNs, Math::max);
    }
  }

  /** The attempt runs no more. */
  public void ended(TaskAttemptID attempt) {
    reduces.remove(attempt);
  }

  /** How often each reduce attempt has named each map attempt, by "reduce attempt, map attempt". */
  public Map<String, Integer> reports() {
    return new TreeMap<>(reports);
  }

  private synchronized void fetchFailed(TaskAttemptID reduce, TaskAttemptID map) {
    reports.merge(reduce + " " + map, 1, Integer::sum);
    int failures = fetchFailures.merge(map, 1, Integer::sum);
    long shuffling =
        reduces.values().stream().filter(phase -> phase == TaskStatus.Phase.SHUFFLE).count();
    float rate = shuffling == 0 ? 1 : (float) failures / shuffling;
    if (failures >= NOTIFICATIONS && rate >= FRACTION) {
      lost.add(map);
      fetchFailures.remove(map);
    }
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
    if (status != null) {
      heard(attempt);
    }
    if (status != null && !status.getIsMap()) {
      reduces.put(attempt, status.getPhase());
    }
    if (status != null && status.getFetchFailedMaps() != null) {
      status.getFetchFailedMaps().forEach(map -> fetchFailed(attempt, map));
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
    ended(attempt);
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
