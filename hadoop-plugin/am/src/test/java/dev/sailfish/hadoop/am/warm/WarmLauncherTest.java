package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerLaunchedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.service.AbstractService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WarmLauncherTest {
  private static final int PORT = 7;

  private final TaskAttemptId first = Ids.attempt(TaskType.MAP, 0);
  private final TaskAttemptId second = Ids.attempt(TaskType.MAP, 1);
  private final TaskAttemptId third = Ids.attempt(TaskType.MAP, 2);
  private final Stock stock = new Stock();
  private final List<TaskAttemptEvent> told = new ArrayList<>();
  private long now = 1;
  private WarmContainers tasks;
  private WarmPool pool;
  private WarmLauncher launcher;

  /** Keeps what it is told to do. */
  private static final class Stock extends AbstractService implements ContainerLauncher {
    private final List<ContainerLauncherEvent> events = new ArrayList<>();

    private Stock() {
      super("stock");
    }

    @Override
    public void handle(ContainerLauncherEvent event) {
      events.add(event);
    }

    private List<ContainerLauncher.EventType> kinds() {
      return events.stream().map(ContainerLauncherEvent::getType).toList();
    }
  }

  @BeforeEach
  void begin() {
    JobConf conf = new JobConf(false);
    conf.set("sailfish.am.warm.tasks", "isolated");
    tasks = WarmContainers.of(conf, () -> now);
    tasks.begin(() -> null, () -> false);
    pool = tasks.pool();
    launcher = new WarmLauncher(stock, tasks, told::add, attempt -> PORT);
  }

  @AfterEach
  void end() {
    pool.ended(Ids.id(1));
    tasks.close();
  }

  private void launch(TaskAttemptId attempt) {
    launcher.handle(new ContainerRemoteLaunchEvent(attempt, null, Ids.container(1), null));
  }

  private void event(TaskAttemptId attempt, ContainerLauncher.EventType type) {
    launcher.handle(new ContainerLauncherEvent(attempt, Ids.id(1), Ids.HOST + ":1", null, type));
  }

  /** The container runs the second attempt. */
  private void runSecond() {
    offer();
    launch(second);
    pool.given(1, now);
  }

  /** The first attempt has ended, and the container is shown to the allocator again. */
  private void offer() {
    pool.started(Ids.container(1), first, now);
    pool.given(1, now);
    pool.asked(1, now);
    pool.endedAttempts();
    pool.offered(pool.find(Ids.id(1)), now);
    event(first, ContainerLauncher.EventType.CONTAINER_COMPLETED);
    assertThat(stock.events).as("it lives on").isEmpty();
  }

  private void assertTold(TaskAttemptId attempt, TaskAttemptEventType type) {
    assertThat(told)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getTaskAttemptID()).isEqualTo(attempt);
              assertThat(event.getType()).isEqualTo(type);
            });
    told.clear();
  }

  @Test
  void laterAttemptRunsWithoutLaunch() {
    runSecond();
    assertThat(stock.events).isEmpty();
    assertThat(((TaskAttemptContainerLaunchedEvent) told.get(0)).getShufflePort()).isEqualTo(PORT);
    assertTold(second, TaskAttemptEventType.TA_CONTAINER_LAUNCHED);
  }

  /** As when its node is lost, or the container preempted: the attempt waits for that word. */
  @Test
  void laterAttemptHearsOfTheEndOfItsContainer() {
    runSecond();
    told.clear();
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.AS_STOCK);
    event(second, ContainerLauncher.EventType.CONTAINER_REMOTE_CLEANUP);
    assertTold(second, TaskAttemptEventType.TA_CONTAINER_CLEANED);
    assertThat(stock.kinds()).containsExactly(ContainerLauncher.EventType.CONTAINER_COMPLETED);
  }

  @Test
  void killOfAnAttemptThatHasEndedLeavesTheContainerToTheNext() {
    runSecond();
    pool.asked(1, now);
    pool.endedAttempts();
    pool.offered(pool.find(Ids.id(1)), now);
    told.clear();
    event(second, ContainerLauncher.EventType.CONTAINER_REMOTE_CLEANUP);
    assertTold(second, TaskAttemptEventType.TA_CONTAINER_CLEANED);
    launch(third);
    assertTold(third, TaskAttemptEventType.TA_CONTAINER_LAUNCHED);
    assertThat(stock.events).isEmpty();
  }

  @Test
  void containerWhoseOfferIsOverIsNotStartedAgain() {
    offer();
    now += WarmPool.PATIENCE_MS + 1;
    pool.idle(Long.MAX_VALUE, now);
    launch(second);
    assertTold(second, TaskAttemptEventType.TA_KILL);
    event(second, ContainerLauncher.EventType.CONTAINER_REMOTE_CLEANUP);
    assertTold(second, TaskAttemptEventType.TA_CONTAINER_CLEANED);
    assertThat(stock.events).isEmpty();
  }

  @Test
  void containerThatHasEndedIsNotStartedAgain() {
    offer();
    assertThat(pool.ended(Ids.id(1))).isEqualTo(WarmPool.End.NOT_BEGUN);
    launch(second);
    assertTold(second, TaskAttemptEventType.TA_KILL);
    event(second, ContainerLauncher.EventType.CONTAINER_REMOTE_CLEANUP);
    assertTold(second, TaskAttemptEventType.TA_CONTAINER_CLEANED);
  }
}
