package dev.sailfish.hadoop.am.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.service.AbstractService;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.util.Clock;
import org.junit.jupiter.api.Test;

/** The job is one of 4 maps and 4 reduces. */
class TaskLauncherTest {
  private static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 1);
  private static final String COMMAND = "/usr/bin/java -Xmx200m org.apache.hadoop.mapred.YarnChild";
  private static final int TASKS = 4;
  private static final long MIB = 1 << 20;

  private final Stock stock = new Stock();
  private final JobConf conf = new JobConf(false);
  private final Counters counters = new Counters();
  private int mapsDone;
  private long inputBytes = MIB;
  private long launchedMs;
  private int jvms = TaskLauncher.JvmCount.EACH_TASK;

  /** Keeps what it is told to start. */
  private static final class Stock extends AbstractService implements ContainerLauncher {
    private final List<ContainerLauncherEvent> events = new ArrayList<>();

    Stock() {
      super("stock");
    }

    @Override
    public void handle(ContainerLauncherEvent event) {
      events.add(event);
    }
  }

  /** Knows these answers only. */
  private static <T> T knowing(Class<T> type, Map<String, Supplier<Object>> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName()).get()));
  }

  private AppContext context() {
    TaskAttempt attempt =
        knowing(
            TaskAttempt.class,
            Map.of("getLaunchTime", () -> launchedMs, "getFinishTime", () -> 0L));
    Task task = knowing(Task.class, Map.of("getAttempt", () -> attempt));
    Job job =
        knowing(
            Job.class,
            Map.of(
                "getTotalMaps", () -> TASKS,
                "getTotalReduces", () -> TASKS,
                "getCompletedMaps", () -> mapsDone,
                "getAllCounters", () -> counters,
                "getTask", () -> task));
    Clock clock = () -> 100_000;
    return knowing(AppContext.class, Map.of("getJob", () -> job, "getClock", () -> clock));
  }

  private ContainerLauncher launcher() {
    TaskLauncher.JvmCount count =
        new TaskLauncher.JvmCount() {
          @Override
          public int of(boolean map) {
            return jvms;
          }

          @Override
          public boolean forBothKinds() {
            return true;
          }
        };
    return TaskLauncher.of(conf, stock, context(), count, job -> inputBytes);
  }

  private String started(ContainerLauncher launcher, TaskType type) {
    TaskAttemptId attempt =
        MRBuilderUtils.newTaskAttemptId(
            MRBuilderUtils.newTaskId(MRBuilderUtils.newJobId(APPLICATION, 1), 0, type), 0);
    Container container =
        Container.newInstance(
            ContainerId.newContainerId(ApplicationAttemptId.newInstance(APPLICATION, 1), 2),
            NodeId.newInstance("node1.example.org", 1),
            "node1.example.org:2",
            Resource.newInstance(1024, 1),
            Priority.newInstance(20),
            null);
    ContainerLaunchContext how =
        ContainerLaunchContext.newInstance(
            new HashMap<>(), new HashMap<>(), List.of(COMMAND), null, null, null);
    launcher.handle(new ContainerRemoteLaunchEvent(attempt, how, container, null));
    assertThat(stock.events).hasSize(1);
    stock.events.clear();
    return how.getCommands().get(0);
  }

  @Test
  void smallTaskIsStartedWithFlags() {
    assertThat(started(launcher(), TaskType.MAP))
        .isNotEqualTo(COMMAND)
        .isEqualTo(JvmFlags.SHORT.addTo(COMMAND, Map.of()));
  }

  @Test
  void largeTaskIsStartedAsEver() {
    inputBytes = TASKS * 129 * MIB;
    assertThat(started(launcher(), TaskType.MAP)).isEqualTo(COMMAND);
  }

  @Test
  void fewWarmJvmsSeeMoreThanOneTask() {
    inputBytes = TASKS * 100 * MIB;
    jvms = 2;
    assertThat(started(launcher(), TaskType.MAP))
        .isNotEqualTo(COMMAND)
        .isEqualTo(JvmFlags.SHARED.addTo(COMMAND, Map.of()));
  }

  @Test
  void reduceIsAsLargeAsWhatMapsHaveWritten() {
    ContainerLauncher launcher = launcher();
    mapsDone = 2;
    counters.findCounter(TaskCounter.MAP_OUTPUT_BYTES).setValue(TASKS * 70 * MIB);
    assertThat(started(launcher, TaskType.REDUCE)).isEqualTo(COMMAND);
    assertThat(started(launcher, TaskType.MAP)).isNotEqualTo(COMMAND);
  }

  @Test
  void tasksThatLastLongAreStartedAsEver() {
    ContainerLauncher launcher = launcher();
    assertThat(started(launcher, TaskType.MAP)).isNotEqualTo(COMMAND);
    launchedMs = 1;
    assertThat(started(launcher, TaskType.MAP)).isEqualTo(COMMAND);
  }

  @Test
  void jobCanDoWithout() {
    conf.set("sailfish.am.short.jvm.bytes", "0");
    assertThat(started(launcher(), TaskType.MAP)).isEqualTo(COMMAND);
    jvms = 2;
    assertThat(started(launcher(), TaskType.MAP))
        .isEqualTo(JvmFlags.SHARED.addTo(COMMAND, Map.of()));
  }
}
