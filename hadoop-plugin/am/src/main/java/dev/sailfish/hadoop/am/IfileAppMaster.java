package dev.sailfish.hadoop.am;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.hadoop.Requirements;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.am.heartbeat.Heartbeats;
import dev.sailfish.hadoop.am.launch.TaskLauncher;
import dev.sailfish.hadoop.am.report.JobListener;
import dev.sailfish.hadoop.am.report.JobReporter;
import dev.sailfish.hadoop.am.warm.LocalScheduler;
import dev.sailfish.hadoop.am.warm.WarmContainers;
import dev.sailfish.hadoop.auto.ReduceMode;
import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.WarmTaskListener;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.v2.api.records.JobState;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.MRAppMaster;
import org.apache.hadoop.mapreduce.v2.app.TaskAttemptListener;
import org.apache.hadoop.mapreduce.v2.app.commit.CommitterEvent;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.JobStateInternal;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobFinishEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.rm.ContainerAllocator;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.AMPreemptionPolicy;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.mapreduce.v2.util.MRWebAppUtil;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.util.Clock;
import org.apache.hadoop.yarn.util.SystemClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's ApplicationMaster for jobs whose map output is in I-files. Chosen with
 *
 * <pre>   yarn.app.mapreduce.am.command-opts = -Xmx1024m &lt;ADD_OPENS&gt; CLASS   </pre>
 *
 * where CLASS is that of {@link SailfishAppMaster}, which starts this one. Jobs of any other
 * shuffle, and those that run inside the ApplicationMaster, are stock's. Of a job that recomputes
 * lost files, of any shuffle or none, only the tasks run that make them, and nothing is committed.
 */
public final class IfileAppMaster extends MRAppMaster {
  private static final Logger LOG = LoggerFactory.getLogger(IfileAppMaster.class);
  private static final int SHUTDOWN_HOOK_PRIORITY = 30;

  /** The metaserver sees by itself, only later, that a job has ended. */
  private static final Duration TELLING_THE_END = Duration.ofSeconds(2);

  private final Clock clock;
  private final long submitTime;
  private WarmContainers warm;
  private Heartbeats heartbeats;
  private volatile LocalScheduler scheduler;
  private Job job;
  private JobListener listener = JobListener.NONE;

  private IfileAppMaster(
      ContainerId container, String host, int port, int httpPort, Clock clock, long submitTime) {
    super(container.getApplicationAttemptId(), container, host, port, httpPort, clock, submitTime);
    this.clock = clock;
    this.submitTime = submitTime;
  }

  @Override
  protected Job createJob(Configuration conf, JobStateInternal forcedState, String diagnostic) {
    String why = conf.getInt(MRJobConfig.NUM_REDUCES, 0) == 0 ? "it has no reduce task" : null;
    why = why == null ? SailfishJob.whyStock(conf) : why;
    NeededTasks needed = needed(conf, why == null && conf.get(SailfishJob.KEPT_JOB) != null);
    if (why != null || forcedState != null) {
      LOG.info("The job is Hadoop's own: {}", why == null ? forcedState : why);
      return needed.isAll() || forcedState != null
          ? super.createJob(conf, forcedState, diagnostic)
          : registered(new NeededJobImpl(parts(conf), needed, null, diagnostic));
    }
    SailfishJob.tellReducesThatMapsRunAgain(conf);
    JobConf jobConf = new JobConf(conf);
    ReduceMode mode = ReduceMode.of(jobConf);
    LOG.info("Reduce work: {}", mode.why());
    Planning planning =
        mode.auto()
            ? new Planning(
                jobConf,
                () -> getConfig().getClassLoader(),
                credentials(jobConf),
                mode,
                planFile(jobConf, needed),
                this::containers,
                events())
            : null;
    listener =
        JobReporter.start(
            jobConf, name(), getAttemptID().getAttemptId(), mode, () -> credentials(jobConf));
    job = new SailfishJobImpl(parts(conf), planning, needed, listener, forcedState, diagnostic);
    return registered(job);
  }

  /** A job that recomputes has its plan from the one that has made the files, and keeps it. */
  private PlanFile planFile(JobConf conf, NeededTasks needed) {
    PlanFile file = PlanFile.in(new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR)), conf);
    try {
      if (getAttemptID().getAttemptId() > 1 && needed.isAll()) {
        file.removeUnlessUsed(getCompletedTaskFromPreviousRun());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("an earlier plan cannot be removed", e);
    }
    return file;
  }

  private static NeededTasks needed(Configuration conf, boolean kept) {
    try {
      return NeededTasks.of(conf, kept);
    } catch (IOException e) {
      throw new UncheckedIOException("what the job recomputes cannot be read", e);
    }
  }

  private Job registered(Job made) {
    getContext().getAllJobs().put(made.getID(), made);
    getDispatcher().register(JobFinishEvent.Type.class, createJobFinishEventHandler());
    return made;
  }

  @SuppressWarnings("unchecked")
  private EventHandler<Event<?>> events() {
    return (EventHandler<Event<?>>) (EventHandler<?>) getDispatcher().getEventHandler();
  }

  private JobParts parts(Configuration conf) {
    return new JobParts(
        getJobId(),
        getAttemptID(),
        conf,
        events(),
        getTaskAttemptListener(),
        jobTokenSecretManager,
        getCredentials(),
        clock,
        getCompletedTaskFromPreviousRun(),
        metrics,
        getCommitter(),
        isNewApiCommitter(),
        currentUser.getUserName(),
        submitTime,
        getAllAMInfos(),
        getContext());
  }

  @Override
  protected EventHandler<CommitterEvent> createCommitterEventHandler(
      AppContext context, OutputCommitter committer) {
    boolean recomputes = OrderFile.isIn(getConfig());
    return super.createCommitterEventHandler(
        context, recomputes ? new NoJobCommitter() : committer);
  }

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    heartbeats = Heartbeats.of(new JobConf(conf));
    super.serviceInit(conf);
    if (heartbeats.on()) {
      getDispatcher().register(ContainerAllocator.EventType.class, this::containerIsAskedFor);
      getDispatcher().register(TaskAttemptEventType.class, this::attemptHasEnded);
    }
  }

  private void containerIsAskedFor(Event<?> event) {
    if (event.getType() == ContainerAllocator.EventType.CONTAINER_REQ) {
      heartbeats.asked();
    }
  }

  /** Warm containers do not end with their attempts. */
  private void attemptHasEnded(Event<?> event) {
    if (event.getType() == TaskAttemptEventType.TA_DONE && warm == null) {
      heartbeats.ended();
    }
  }

  @Override
  protected TaskAttemptListener createTaskAttemptListener(
      AppContext context, AMPreemptionPolicy preemption) {
    warm = WarmContainers.of(new JobConf(getConfig()), clock);
    return warm == null
        ? super.createTaskAttemptListener(context, preemption)
        : new WarmTaskListener(
            context,
            jobTokenSecretManager,
            getRMHeartbeatHandler(),
            preemption,
            StockParts.spillKey(this),
            warm);
  }

  @Override
  protected ContainerLauncher createContainerLauncher(AppContext context) {
    ContainerLauncher launcher =
        TaskLauncher.of(
            new JobConf(getConfig()),
            super.createContainerLauncher(context),
            context,
            new JvmsOfTasks(),
            StockParts::inputBytes);
    return warm == null ? launcher : warm.launcher(launcher, context);
  }

  @Override
  protected void startJobs() {
    boolean inContainers = getContext().getAllJobs().values().stream().noneMatch(Job::isUber);
    if (inContainers && (warm != null || heartbeats.on())) {
      beginBetween();
    }
    super.startJobs();
  }

  private void beginBetween() {
    Callable<Void> round;
    try {
      round = StockParts.putBetween(getContainerAllocator(), this::beforeTheResourceManager);
    } catch (UnsupportedOperationException e) {
      if (warm != null) {
        throw e;
      }
      LOG.warn("There are no early heartbeats", e);
      return;
    }
    if (warm != null) {
      warm.begin(
          round,
          () -> getContext().getAllJobs().values().stream().allMatch(IfileAppMaster::hasNoTask));
    }
    heartbeats.begin(round);
  }

  private LocalScheduler beforeTheResourceManager(ApplicationMasterProtocol manager) {
    scheduler =
        warm == null
            ? LocalScheduler.cold(manager, new JobConf(getConfig()), clock, heartbeats)
            : warm.scheduler(manager, heartbeats);
    return scheduler;
  }

  /** As many as run now, and as the ResourceManager would still give. */
  private final class JvmsOfTasks implements TaskLauncher.JvmCount {
    private final JobConf conf = new JobConf(getConfig());

    @Override
    public int of(boolean map) {
      return warm == null || scheduler == null
          ? EACH_TASK
          : scheduler.given() + containers(conf, map ? TaskType.MAP : TaskType.REDUCE);
    }

    @Override
    public boolean forBothKinds() {
      return warm.forBothKinds();
    }
  }

  /** Whether no task of a job is to run any more, as far as it is known. */
  private static boolean hasNoTask(Job job) {
    return job.getState() != JobState.RUNNING
        || job.getCompletedMaps() == job.getTotalMaps()
            && job.getCompletedReduces() == job.getTotalReduces();
  }

  private Credentials credentials(JobConf conf) {
    return SailfishJob.keys(conf)
        .credentials(name(), TokenCache.getShuffleSecretKey(getCredentials()));
  }

  private String name() {
    return TypeConverter.fromYarn(getJobId()).toString();
  }

  /** How many of a job's reduce tasks the cluster would run at once now, by their memory. */
  private int containers(JobConf conf) {
    return containers(conf, TaskType.REDUCE);
  }

  private int containers(JobConf conf, TaskType type) {
    Resource headroom = StockParts.headroom(getContainerAllocator());
    int each = Math.max(1, conf.getMemoryRequired(type));
    return headroom == null ? 1 : (int) Math.min(headroom.getMemorySize() / each, 1 << 20);
  }

  @Override
  protected void serviceStop() throws Exception {
    if (heartbeats != null) {
      heartbeats.close();
    }
    if (warm != null) {
      warm.close();
    }
    super.serviceStop();
    listener.close(); // before the metaserver forgets the key that reports are signed with
    if (job != null && isLastAMRetry()) {
      tellTheEnd();
    }
  }

  /** Frees the job's chunks at once. */
  private void tellTheEnd() {
    JobConf conf = new JobConf(getConfig());
    String name = name();
    try (MetaserverClient metaserver =
        new MetaserverClient(
            SailfishJob.keys(conf).network(),
            SailfishJob.keys(conf).metaservers(),
            "ApplicationMaster of " + name,
            credentials(conf),
            TELLING_THE_END)) {
      metaserver.deleteJob(name);
    } catch (RemoteException e) {
      // The ResourceManager may have told it already.
      if (e.status() != Status.JOB_UNKNOWN) {
        LOG.warn("The metaserver refused to end {}", name, e);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("The metaserver was not told that {} has ended; it will see it by itself", name, e);
    }
  }

  /**
   * What {@link SailfishAppMaster} runs.
   *
   * @param args are not looked at: Hadoop puts the name of its own class there
   */
  public static void main(String[] args) {
    try {
      StockParts.processHasBegun();
      Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
      ContainerId container = ContainerId.fromString(variable(Environment.CONTAINER_ID.name()));
      ApplicationAttemptId attempt = container.getApplicationAttemptId();
      CallerContext.setCurrent(new CallerContext.Builder("mr_appmaster_" + attempt).build());
      IfileAppMaster master =
          new IfileAppMaster(
              container,
              variable(Environment.NM_HOST.name()),
              Integer.parseInt(variable(Environment.NM_PORT.name())),
              Integer.parseInt(variable(Environment.NM_HTTP_PORT.name())),
              SystemClock.getInstance(),
              Long.parseLong(variable(ApplicationConstants.APP_SUBMIT_TIME_ENV)));
      ShutdownHookManager.get()
          .addShutdownHook(StockParts.shutdownHook(master), SHUTDOWN_HOOK_PRIORITY);
      JobConf conf = new JobConf(new YarnConfiguration());
      conf.addResource(new Path(MRJobConfig.JOB_CONF_FILE));
      if (OrderFile.isIn(conf)) {
        OrderFile.seeTheStore(conf);
      }
      MRWebAppUtil.initialize(conf);
      String properties = MRApps.getSystemPropertiesToLog(conf);
      if (properties != null) {
        LOG.info(properties);
      }
      String user = variable(Environment.USER.name());
      conf.set(MRJobConfig.USER_NAME, user);
      initAndStartAppMaster(master, conf, user);
    } catch (Throwable t) {
      String why = t instanceof LinkageError ? Requirements.explain(t) : "it cannot start";
      LOG.error("Error starting the ApplicationMaster: {}", why, t);
      ExitUtil.terminate(1, t);
    }
  }

  private static String variable(String name) throws IOException {
    String value = System.getenv(name);
    if (value == null) {
      throw new IOException(
          "the environment has no "
              + name
              + ": "
              + IfileAppMaster.class.getName()
              + " is started by YARN's NodeManager only");
    }
    return value;
  }
}
