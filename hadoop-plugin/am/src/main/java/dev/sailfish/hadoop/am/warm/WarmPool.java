package dev.sailfish.hadoop.am.warm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The containers of a job that run task after task: what each of them does, which one gets another
 * task and which one is given back. Without I/O and clock: times are given, in ms. For any number
 * of threads.
 */
final class WarmPool {
  /** What is done with a container whose attempt is killed. */
  enum Stop {
    /** As Hadoop does. */
    AS_STOCK,
    /** The container is stopped, and the attempt is told, as Hadoop knows it by another one. */
    AND_TELL,
    /** The container runs something else by now: the attempt is told only. */
    TELL_ONLY,
    /** The container has ended: the attempt is told, as Hadoop knows it by another one. */
    HAS_ENDED
  }

  /** What an attempt finds in the container that it is assigned to. */
  enum Start {
    /** Nothing: the container has to be started. */
    NEW,
    /** A JVM that waits for it. */
    RUNS,
    /** A JVM that is to end or has ended: the attempt needs another container. */
    GONE
  }

  /** What the ResourceManager's word that a container has ended means. */
  enum End {
    /** As Hadoop does: its attempt has ended or fails. */
    AS_STOCK,
    /** Nobody waits for it. */
    NOBODYS,
    /** Its JVM was gone before the attempt began: nobody is blamed. */
    NOT_BEGUN
  }

  /**
   * How long the JVM of a container may take to end before it is killed, and an offer to be taken.
   */
  static final long PATIENCE_MS = 15_000;

  private final WarmSettings settings;
  private final Map<Long, WarmContainer> containers = new HashMap<>();

  /** For whom the containers were started that have ended. */
  private final Map<Long, TaskAttemptId> gone = new HashMap<>();

  WarmPool(WarmSettings settings) {
    this.settings = settings;
  }

  /** A container is started that can run more than one task. */
  synchronized void started(Container container, TaskAttemptId attempt, long nowMs) {
    containers.put(
        container.getId().getContainerId(), new WarmContainer(container, attempt, nowMs));
  }

  /** An attempt is assigned to a container. */
  synchronized Start assigned(ContainerId id, TaskAttemptId attempt, long nowMs) {
    WarmContainer container = containers.get(id.getContainerId());
    if (container == null) {
      return gone.containsKey(id.getContainerId()) ? Start.GONE : Start.NEW;
    }
    if (container.state() != WarmState.OFFERED) {
      return Start.GONE;
    }
    container.assigned(attempt, nowMs);
    return Start.RUNS;
  }

  /** A container that has not ended; null where there is no such one. */
  synchronized WarmContainer find(ContainerId id) {
    return containers.get(id.getContainerId());
  }

  /**
   * The JVM of a container asks for a task. That it has run the one before well is what it says by
   * asking: after any other it ends.
   */
  synchronized JvmAnswer asked(long number, long nowMs) {
    WarmContainer container = containers.get(number);
    if (container == null) {
      return JvmAnswer.UNKNOWN;
    }
    switch (container.state()) {
      case STARTING, ASSIGNED:
        return JvmAnswer.TASK;
      case BUSY:
        container.happened(WarmState.Event.ENDED, nowMs);
        return JvmAnswer.DONE;
      case LEAVING:
        container.ends();
        return JvmAnswer.END;
      default:
        return JvmAnswer.WAIT;
    }
  }

  /** Whether the attempt of a container is a map; of one that was asked for just now. */
  synchronized boolean runsMap(long number) {
    WarmContainer container = containers.get(number);
    return container != null && isMap(container.attempt());
  }

  /** Its JVM has got the task. */
  synchronized void given(long number, long nowMs) {
    WarmContainer container = containers.get(number);
    if (container != null && container.state() != WarmState.LEAVING) {
      container.given(nowMs);
    }
  }

  /** An attempt is killed, or has not ended its JVM in time. */
  synchronized Stop stop(ContainerId id, TaskAttemptId attempt, long nowMs) {
    WarmContainer container = containers.get(id.getContainerId());
    if (container == null) {
      TaskAttemptId first = gone.get(id.getContainerId());
      return first == null || first.equals(attempt) ? Stop.AS_STOCK : Stop.HAS_ENDED;
    }
    boolean isOffered = container.state() == WarmState.OFFERED;
    if (isOffered || !container.attempt().equals(attempt)) {
      return Stop.TELL_ONLY;
    }
    container.happened(WarmState.Event.LEAVES, nowMs);
    return attempt.equals(container.first) ? Stop.AS_STOCK : Stop.AND_TELL;
  }

  /** A container whose last attempt was told that it has ended; null if there is no such one. */
  synchronized WarmContainer done(long number) {
    WarmContainer container = containers.get(number);
    return container == null || container.attemptWaits() ? null : container;
  }

  /** Whether there are JVMs without a task that do not know yet that they are to end. */
  synchronized boolean anyUntold() {
    return containers.values().stream().anyMatch(WarmContainer::isUntold);
  }

  /** Whether a container lives, so that Hadoop must not forget it when an attempt there ends. */
  synchronized boolean lives(ContainerId id) {
    return containers.containsKey(id.getContainerId());
  }

  /** The allocator gives a container back. */
  synchronized void released(ContainerId id, long nowMs) {
    WarmContainer container = containers.get(id.getContainerId());
    if (container != null) {
      container.happened(WarmState.Event.LEAVES, nowMs);
    }
  }

  /** The ResourceManager says that a container has ended. */
  synchronized End ended(ContainerId id) {
    WarmContainer container = containers.remove(id.getContainerId());
    if (container == null) {
      return End.AS_STOCK;
    }
    gone.put(id.getContainerId(), container.first);
    if (container.state() == WarmState.OFFERED || container.state() == WarmState.ASSIGNED) {
      return End.NOT_BEGUN;
    }
    return container.attemptWaits() ? End.AS_STOCK : End.NOBODYS;
  }

  /** Containers whose attempts have ended and have not been told so yet; they are told now. */
  synchronized List<ContainerId> endedAttempts() {
    List<ContainerId> ended = new ArrayList<>();
    for (WarmContainer container : containers.values()) {
      if (container.state() == WarmState.IDLE && container.attemptWaits()) {
        container.told();
        ended.add(container.container.getId());
      }
    }
    return ended;
  }

  /**
   * The idle containers that may get another task, after those that may not are told to leave.
   *
   * @param leftMiB memory that the ResourceManager would still give to the job
   */
  synchronized List<WarmContainer> idle(long leftMiB, long nowMs) {
    List<WarmContainer> idle = new ArrayList<>();
    for (WarmContainer container : containers.values()) {
      boolean lost =
          container.state() == WarmState.OFFERED && nowMs - container.sinceMs() > PATIENCE_MS;
      if (lost || container.state() == WarmState.IDLE && isDone(container, leftMiB, nowMs)) {
        container.happened(WarmState.Event.LEAVES, nowMs);
      } else if (container.state() == WarmState.IDLE) {
        idle.add(container);
      }
    }
    return idle;
  }

  private boolean isDone(WarmContainer container, long leftMiB, long nowMs) {
    boolean full = leftMiB < container.container.getResource().getMemorySize();
    long age = nowMs - container.startedMs;
    return container.isLastTask()
        || container.tasks() >= settings.mostTasks()
        || age >= settings.ageMs()
        || full && age >= settings.ageFullMs();
  }

  /** Whether any container is idle or has just become so. */
  synchronized boolean anyIdle() {
    return containers.values().stream().anyMatch(container -> container.state() == WarmState.IDLE);
  }

  /** An idle container is shown to the allocator as a new one. */
  synchronized void offered(WarmContainer container, long nowMs) {
    container.happened(WarmState.Event.OFFERED, nowMs);
  }

  /** Idle containers that nothing has waited for in all that time are told to leave. */
  synchronized void giveBack(long idleMs, long nowMs) {
    for (WarmContainer container : containers.values()) {
      if (container.state() == WarmState.IDLE && nowMs - container.sinceMs() >= idleMs) {
        container.happened(WarmState.Event.LEAVES, nowMs);
      }
    }
  }

  /** The ResourceManager wants containers back: those that run a task get no other one. */
  synchronized void lastTask(ContainerId id) {
    WarmContainer container = containers.get(id.getContainerId());
    if (container != null) {
      container.hasLastTask();
    }
  }

  /** Containers whose JVMs were told to end and have not. */
  synchronized List<ContainerId> overdue(long nowMs) {
    List<ContainerId> overdue = new ArrayList<>();
    for (WarmContainer container : containers.values()) {
      if (container.state() == WarmState.LEAVING && nowMs - container.sinceMs() > PATIENCE_MS) {
        overdue.add(container.container.getId());
      }
    }
    return overdue;
  }

  /** The priorities by which a container can be given to the allocator, the first one first. */
  List<Integer> priorities(WarmContainer container) {
    boolean map = isMap(container.first);
    if (settings.anyKind()) {
      return List.of(OutstandingAsks.FAILED_MAP, OutstandingAsks.MAP, OutstandingAsks.REDUCE);
    }
    return map
        ? List.of(OutstandingAsks.FAILED_MAP, OutstandingAsks.MAP)
        : List.of(OutstandingAsks.REDUCE);
  }

  private static boolean isMap(TaskAttemptId attempt) {
    return attempt.getTaskId().getTaskType() == TaskType.MAP;
  }
}
