package dev.sailfish.hadoop.am.warm;

import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.yarn.api.records.Container;

/** A container that runs task after task, as {@link WarmPool} knows it; guarded by the pool. */
final class WarmContainer {
  /** As the ResourceManager gave it. */
  final Container container;

  /** That it was started for. */
  final TaskAttemptId first;

  final long startedMs;

  private WarmState state = WarmState.STARTING;
  private TaskAttemptId attempt;
  private long sinceMs;
  private int tasks;
  private boolean told;
  private boolean lastTask;
  private boolean ending;

  WarmContainer(Container container, TaskAttemptId first, long nowMs) {
    this.container = container;
    this.first = first;
    this.attempt = first;
    this.startedMs = nowMs;
    this.sinceMs = nowMs;
  }

  WarmState state() {
    return state;
  }

  /** What it runs or will run; of one that is idle or offered what it ran last. */
  TaskAttemptId attempt() {
    return attempt;
  }

  /** Since when it is in its state, in ms. */
  long sinceMs() {
    return sinceMs;
  }

  /** That its JVM has got. */
  int tasks() {
    return tasks;
  }

  /** Whether its last attempt waits to be told that the container has ended. */
  boolean attemptWaits() {
    return !told;
  }

  void told() {
    told = true;
  }

  /** It gets no task after the one that it has. */
  void hasLastTask() {
    lastTask = true;
  }

  boolean isLastTask() {
    return lastTask;
  }

  /** Its JVM has been told to end. */
  void ends() {
    ending = true;
  }

  /** Whether its JVM waits for what it is to do, and has not been told to end. */
  boolean isUntold() {
    return state == WarmState.IDLE || state == WarmState.LEAVING && told && !ending;
  }

  void assigned(TaskAttemptId next, long nowMs) {
    happened(WarmState.Event.ASSIGNED, nowMs);
    attempt = next;
    told = false;
  }

  void given(long nowMs) {
    happened(WarmState.Event.GIVEN, nowMs);
    tasks++;
  }

  void happened(WarmState.Event event, long nowMs) {
    WarmState next = state.after(event);
    if (next != state) {
      state = next;
      sinceMs = nowMs;
    }
  }
}
