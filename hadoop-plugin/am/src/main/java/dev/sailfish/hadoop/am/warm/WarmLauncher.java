package dev.sailfish.hadoop.am.warm;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerLaunchedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptKillEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.service.CompositeService;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In front of Hadoop's launcher: starts containers so that they can run task after task, and keeps
 * it from starting those that run already and from forgetting or stopping those that live on.
 * Called by the ApplicationMaster's event thread.
 */
final class WarmLauncher extends CompositeService implements ContainerLauncher {
  private static final Logger LOG = LoggerFactory.getLogger(WarmLauncher.class);

  private final ContainerLauncher stock;
  private final WarmContainers tasks;
  private final Consumer<TaskAttemptEvent> attempts;
  private final ToIntFunction<TaskAttemptId> shufflePort;

  /**
   * @param attempts what happens to them
   * @param shufflePort of the NodeManager of an attempt that was launched
   */
  WarmLauncher(
      ContainerLauncher stock,
      WarmContainers tasks,
      Consumer<TaskAttemptEvent> attempts,
      ToIntFunction<TaskAttemptId> shufflePort) {
    super(WarmLauncher.class.getName());
    this.stock = stock;
    this.tasks = tasks;
    this.attempts = attempts;
    this.shufflePort = shufflePort;
    addService((Service) stock);
  }

  @Override
  public void handle(ContainerLauncherEvent event) {
    boolean goesOn =
        !tasks.begun()
            || switch (event.getType()) {
              case CONTAINER_REMOTE_LAUNCH -> launch((ContainerRemoteLaunchEvent) event);
              case CONTAINER_REMOTE_CLEANUP -> stop(event);
              case CONTAINER_COMPLETED -> !tasks.pool().lives(event.getContainerID());
            };
    if (goesOn) {
      stock.handle(event);
    }
  }

  /** The JVM of a container ends by itself: Hadoop's launcher need not stop it at the job's end. */
  void forget(WarmContainer container) {
    stock.handle(
        new ContainerLauncherEvent(
            container.first,
            container.container.getId(),
            container.container.getNodeId().toString(),
            container.container.getContainerToken(),
            ContainerLauncher.EventType.CONTAINER_COMPLETED));
  }

  private boolean launch(ContainerRemoteLaunchEvent event) {
    ContainerId id = event.getContainerID();
    TaskAttemptId attempt = event.getTaskAttemptID();
    WarmContainer container = tasks.pool().find(id);
    switch (tasks.pool().assigned(id, attempt, tasks.now())) {
      case NEW:
        start(event);
        return true;
      case RUNS:
        int port = shufflePort.applyAsInt(container.first);
        attempts.accept(new TaskAttemptContainerLaunchedEvent(attempt, port));
        return false;
      default:
        LOG.info("{} is not started in {}, whose JVM ends", attempt, id);
        attempts.accept(
            new TaskAttemptKillEvent(attempt, "The JVM of " + id + " takes no other task"));
        return false;
    }
  }

  private void start(ContainerRemoteLaunchEvent event) {
    try {
      if (tasks.contexts().warm(event.getContainerLaunchContext())) {
        tasks.pool().started(event.getAllocatedContainer(), event.getTaskAttemptID(), tasks.now());
      }
    } catch (IOException e) {
      LOG.warn(
          "{} runs one task only: the job's class path is not known", event.getContainerID(), e);
    }
  }

  private boolean stop(ContainerLauncherEvent event) {
    WarmPool.Stop how =
        tasks.pool().stop(event.getContainerID(), event.getTaskAttemptID(), tasks.now());
    if (how != WarmPool.Stop.AS_STOCK) {
      attempts.accept(
          new TaskAttemptEvent(
              event.getTaskAttemptID(), TaskAttemptEventType.TA_CONTAINER_CLEANED));
    }
    if (how == WarmPool.Stop.HAS_ENDED) {
      stock.handle(
          new ContainerLauncherEvent(
              event.getTaskAttemptID(),
              event.getContainerID(),
              event.getContainerMgrAddress(),
              event.getContainerToken(),
              ContainerLauncher.EventType.CONTAINER_COMPLETED));
    }
    return how == WarmPool.Stop.AS_STOCK || how == WarmPool.Stop.AND_TELL;
  }
}
