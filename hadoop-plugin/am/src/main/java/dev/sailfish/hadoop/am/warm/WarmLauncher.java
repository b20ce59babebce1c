package dev.sailfish.hadoop.am.warm;

import java.io.IOException;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerLaunchedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
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
  private final AppContext context;

  WarmLauncher(ContainerLauncher stock, WarmContainers tasks, AppContext context) {
    super(WarmLauncher.class.getName());
    this.stock = stock;
    this.tasks = tasks;
    this.context = context;
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
    TaskAttemptId first = tasks.pool().assigned(id, attempt, tasks.now());
    if (first != null) {
      int port =
          context
              .getJob(first.getTaskId().getJobId())
              .getTask(first.getTaskId())
              .getAttempt(first)
              .getShufflePort();
      send(new TaskAttemptContainerLaunchedEvent(attempt, port));
      return false;
    }
    if (tasks.pool().hasEnded(id)) {
      LOG.info("{} is not started in {}, which has ended", attempt, id);
      return false;
    }
    try {
      if (tasks.contexts().warm(event.getContainerLaunchContext())) {
        tasks.pool().started(event.getAllocatedContainer(), attempt, tasks.now());
      }
    } catch (IOException e) {
      LOG.warn("{} runs one task only: the job's class path is not known", id, e);
    }
    return true;
  }

  private boolean stop(ContainerLauncherEvent event) {
    WarmPool.Stop how =
        tasks.pool().stop(event.getContainerID(), event.getTaskAttemptID(), tasks.now());
    if (how != WarmPool.Stop.AS_STOCK) {
      send(
          new TaskAttemptEvent(
              event.getTaskAttemptID(), TaskAttemptEventType.TA_CONTAINER_CLEANED));
    }
    return how != WarmPool.Stop.TELL_ONLY;
  }

  @SuppressWarnings("unchecked")
  private void send(TaskAttemptEvent event) {
    context.getEventHandler().handle(event);
  }
}
