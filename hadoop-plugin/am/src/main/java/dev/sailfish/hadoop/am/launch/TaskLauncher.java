package dev.sailfish.hadoop.am.launch;

import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.service.CompositeService;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In front of Hadoop's launcher: starts the JVMs of tasks with the {@link JvmFlags} for what they
 * are likely to do. Called by the ApplicationMaster's event thread.
 */
public final class TaskLauncher extends CompositeService implements ContainerLauncher {
  private static final Logger LOG = LoggerFactory.getLogger(TaskLauncher.class);

  private final ContainerLauncher stock;
  private final AppContext context;
  private final long shortBytes;
  private final JvmCount jvms;
  private final ToLongFunction<Job> inputBytes;
  private final LongTasks<TaskAttemptId> attempts = new LongTasks<>(this::times);
  private final Set<JvmFlags> said = EnumSet.noneOf(JvmFlags.class);
  private long mapBytes = -1;
  private long reduceBytes = -1;
  private boolean saidLong;

  /** What is known of the JVMs of a job's tasks. */
  public interface JvmCount {
    /** Stands for a JVM for each task. */
    int EACH_TASK = Integer.MAX_VALUE;

    /**
     * How many the job has or gets now, for tasks of a kind.
     *
     * @param map whether for maps, else for reduces
     * @return {@link #EACH_TASK} where none runs more than one
     */
    int of(boolean map);

    /** Whether those of maps run reduces, too. */
    boolean forBothKinds();
  }

  private TaskLauncher(
      ContainerLauncher stock,
      AppContext context,
      long shortBytes,
      JvmCount jvms,
      ToLongFunction<Job> inputBytes) {
    super(TaskLauncher.class.getName());
    this.stock = stock;
    this.context = context;
    this.shortBytes = shortBytes;
    this.jvms = jvms;
    this.inputBytes = inputBytes;
    addService((Service) stock);
  }

  /**
   * Of a job.
   *
   * @param stock what starts the containers
   * @param inputBytes of a job, 0 where it is not known
   */
  public static TaskLauncher of(
      JobConf conf,
      ContainerLauncher stock,
      AppContext context,
      JvmCount jvms,
      ToLongFunction<Job> inputBytes) {
    long shortBytes = SailfishJob.keys(conf).get(JobKey.SHORT_JVM_BYTES);
    return new TaskLauncher(stock, context, shortBytes, jvms, inputBytes);
  }

  @Override
  public void handle(ContainerLauncherEvent event) {
    if (event instanceof ContainerRemoteLaunchEvent launch) {
      decide(launch);
    }
    stock.handle(event);
  }

  private void decide(ContainerRemoteLaunchEvent launch) {
    TaskId task = launch.getTaskAttemptID().getTaskId();
    boolean map = task.getTaskType() == TaskType.MAP;
    int number = jvms.of(map);
    if (isShort(context.getJob(task.getJobId()), map, number)) {
      attempts.started(launch.getTaskAttemptID());
      start(launch.getContainerLaunchContext(), JvmFlags.SHORT);
    } else if (number != JvmCount.EACH_TASK) {
      start(launch.getContainerLaunchContext(), JvmFlags.SHARED);
    }
  }

  private boolean isShort(Job job, boolean map, int number) {
    return shortBytes > 0
        && size(job, map).bytesPerJvm(map, how(number)) <= shortBytes
        && !areLong();
  }

  private void start(ContainerLaunchContext launch, JvmFlags flags) {
    Map<String, String> environment = launch.getEnvironment();
    List<String> commands = new ArrayList<>();
    for (String command : launch.getCommands()) {
      commands.add(flags.addTo(command, environment));
    }
    if (!commands.equals(launch.getCommands()) && said.add(flags)) {
      LOG.info("JVMs are started as {} ones: {}", flags, commands);
    }
    launch.setCommands(commands);
  }

  private boolean areLong() {
    TaskAttemptId one = attempts.any(context.getClock().getTime());
    if (one != null && !saidLong) {
      saidLong = true;
      LOG.info("JVMs are not started as short ones any more: {} lasts long", one);
    }
    return one != null;
  }

  private LongTasks.Times times(TaskAttemptId id) {
    TaskAttempt attempt =
        context.getJob(id.getTaskId().getJobId()).getTask(id.getTaskId()).getAttempt(id);
    return new LongTasks.Times(attempt.getLaunchTime(), attempt.getFinishTime());
  }

  private JobSize.Jvms how(int number) {
    return number == JvmCount.EACH_TASK
        ? JobSize.Jvms.COLD
        : new JobSize.Jvms(number, jvms.forBothKinds());
  }

  private JobSize size(Job job, boolean map) {
    if (mapBytes < 0) {
      mapBytes = inputBytes.applyAsLong(job);
    }
    return new JobSize(
        mapBytes,
        job.getTotalMaps(),
        job.getTotalReduces() == 0 ? 0 : reduceBytes(job, map),
        job.getTotalReduces());
  }

  /** As much as the maps read, until the first reduce is started; then what they have written. */
  private long reduceBytes(Job job, boolean map) {
    int done = job.getCompletedMaps();
    if (map || done == 0) {
      return mapBytes;
    }
    if (reduceBytes < 0) {
      long written = job.getAllCounters().findCounter(TaskCounter.MAP_OUTPUT_BYTES).getValue();
      reduceBytes = (long) ((double) written / done * job.getTotalMaps());
    }
    return reduceBytes;
  }
}
