package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTaskAttemptImpl;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.TaskAttemptFinishingMonitor;
import org.apache.hadoop.mapreduce.v2.app.TaskAttemptListener;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttemptStateInternal;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerAssignedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerLaunchedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskTAttemptKilledEvent;
import org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.util.SystemClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a map attempt of Hadoop's whose node does not answer any more. */
class LostOutputTest {
  private static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 1);
  private static final JobId JOB = MRBuilderUtils.newJobId(APPLICATION, 1);
  private static final TaskId MAP = MRBuilderUtils.newTaskId(JOB, 4, TaskType.MAP);
  private static final TaskAttemptId ATTEMPT = MRBuilderUtils.newTaskAttemptId(MAP, 1);
  private static final int PORT = 13562;

  @TempDir File temporary;

  private final List<Event<?>> sent = new ArrayList<>();
  private TaskAttemptImpl attempt;

  /** Knows this answer only. */
  private static <T> T knowing(Class<T> type, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> called.getName().equals(method) ? answer : null));
  }

  @BeforeEach
  void begin() throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    JobConf conf = new JobConf();
    conf.set(MRJobConfig.USER_NAME, user);
    conf.set(MRJobConfig.MR_AM_STAGING_DIR, temporary.toString());
    Path staging =
        new Path(MRApps.getStagingAreaDir(conf, user), TypeConverter.fromYarn(JOB).toString());
    File file = new File(staging.toUri().getPath(), MRJobConfig.JOB_CONF_FILE);
    Files.createDirectories(file.getParentFile().toPath());
    Files.writeString(file.toPath(), "<configuration/>");
    attempt =
        new MapTaskAttemptImpl(
            MAP,
            ATTEMPT.getId(),
            this::send,
            new Path(file.toString()),
            MAP.getId(),
            new TaskSplitMetaInfo(),
            conf,
            knowing(
                TaskAttemptListener.class, "getAddress", new InetSocketAddress("127.0.0.1", PORT)),
            new Token<>(),
            new Credentials(),
            SystemClock.getInstance(),
            knowing(
                AppContext.class,
                "getTaskAttemptFinishingMonitor",
                new TaskAttemptFinishingMonitor(this::send)));
  }

  private void send(Event<?> event) {
    sent.add(event);
  }

  private void launch() {
    Container container =
        Container.newInstance(
            ContainerId.newContainerId(ApplicationAttemptId.newInstance(APPLICATION, 1), 2),
            NodeId.newInstance("127.0.0.1", 1),
            "127.0.0.1:2",
            Resource.newInstance(1024, 1),
            Priority.newInstance(20),
            null);
    happens(TaskAttemptEventType.TA_SCHEDULE);
    attempt.handle(new TaskAttemptContainerAssignedEvent(ATTEMPT, container, Map.of()));
    attempt.handle(new TaskAttemptContainerLaunchedEvent(ATTEMPT, PORT));
  }

  private void happens(TaskAttemptEventType type) {
    attempt.handle(new TaskAttemptEvent(ATTEMPT, type));
  }

  /** The attempt gets what is sent to it; nobody stops its container. */
  private boolean withdraw() {
    sent.clear();
    Task task = knowing(Task.class, "getAttempt", attempt);
    boolean counted = new LostOutput(id -> task, this::send).withdraw(ATTEMPT, "for a test");
    for (Event<?> event : List.copyOf(sent)) {
      attempt.handle((TaskAttemptEvent) event);
    }
    return counted;
  }

  private void assertRunsAgain() {
    assertThat(withdraw()).isTrue();
    assertThat(attempt.getInternalState()).isEqualTo(TaskAttemptStateInternal.KILLED);
    assertThat(attempt.getDiagnostics()).contains("Map output is lost: for a test");
    assertThat(sent)
        .filteredOn(TaskTAttemptKilledEvent.class::isInstance)
        .singleElement()
        .satisfies(
            event -> assertThat(((TaskTAttemptKilledEvent) event).getRescheduleAttempt()).isTrue());
  }

  @Test
  void mapWhoseContainerHasNotEndedRunsAgainAtOnce() {
    launch();
    happens(TaskAttemptEventType.TA_DONE);
    assertThat(attempt.getInternalState())
        .isEqualTo(TaskAttemptStateInternal.SUCCESS_FINISHING_CONTAINER);
    assertRunsAgain();
  }

  @Test
  void mapWhoseContainerIsBeingStoppedRunsAgainAtOnce() {
    launch();
    happens(TaskAttemptEventType.TA_DONE);
    happens(TaskAttemptEventType.TA_TIMED_OUT);
    assertThat(attempt.getInternalState())
        .isEqualTo(TaskAttemptStateInternal.SUCCESS_CONTAINER_CLEANUP);
    assertRunsAgain();
  }

  @Test
  void mapWhoseContainerHasEndedRunsAgainAtOnce() {
    launch();
    happens(TaskAttemptEventType.TA_DONE);
    happens(TaskAttemptEventType.TA_CONTAINER_COMPLETED);
    assertThat(attempt.getInternalState()).isEqualTo(TaskAttemptStateInternal.SUCCEEDED);
    assertRunsAgain();
  }

  @Test
  void whatDoesNotCountIsLeftAlone() {
    launch();
    assertThat(withdraw()).as("while it runs").isFalse();
    assertThat(sent).isEmpty();
    happens(TaskAttemptEventType.TA_DONE);
    assertRunsAgain();
    assertThat(withdraw()).as("when it was withdrawn").isFalse();
    assertThat(sent).isEmpty();
    assertThat(new LostOutput(id -> null, this::send).withdraw(ATTEMPT, "no such map")).isFalse();
    assertThat(sent).isEmpty();
  }
}
