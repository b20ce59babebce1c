package dev.sailfish.hadoop.am.warm;

import dev.sailfish.hadoop.am.heartbeat.Heartbeats;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.util.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a job's ApplicationMaster needs so that containers run task after task: the parts that it
 * puts before Hadoop's own. For any number of threads.
 */
public final class WarmContainers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmContainers.class);

  /** A JVM asks every 200 ms at least. */
  private static final Duration TELLING_THE_END = Duration.ofMillis(500);

  private final WarmSettings settings;
  private final WarmPool pool;
  private final LaunchContexts contexts;
  private final Clock clock;
  private volatile boolean begun;
  private volatile BooleanSupplier jobEnds = () -> false;
  private WarmLauncher launcher;
  private Rounds rounds;
  private Thread thread;

  private WarmContainers(JobConf conf, WarmSettings settings, Clock clock) {
    this.settings = settings;
    this.pool = new WarmPool(settings);
    this.contexts = new LaunchContexts(conf, settings);
    this.clock = clock;
  }

  /**
   * Of a job.
   *
   * @return null where each task has a JVM of its own
   */
  public static WarmContainers of(JobConf conf, Clock clock) {
    WarmSettings settings = WarmSettings.of(conf);
    LOG.info(
        "Warm tasks: {}{}",
        settings.why(),
        settings.on() && !settings.anyKind()
            ? "; maps and reduces have different options, so different JVMs"
            : "");
    return settings.on() ? new WarmContainers(conf, settings, clock) : null;
  }

  /** In front of Hadoop's launcher. */
  public synchronized ContainerLauncher launcher(ContainerLauncher stock, AppContext context) {
    launcher =
        new WarmLauncher(stock, this, event -> send(context, event), first -> port(context, first));
    return launcher;
  }

  @SuppressWarnings("unchecked")
  private static void send(AppContext context, TaskAttemptEvent event) {
    context.getEventHandler().handle(event);
  }

  private static int port(AppContext context, TaskAttemptId attempt) {
    return context
        .getJob(attempt.getTaskId().getJobId())
        .getTask(attempt.getTaskId())
        .getAttempt(attempt)
        .getShufflePort();
  }

  /** Whether JVMs of maps run reduces too. */
  public boolean forBothKinds() {
    return settings.anyKind();
  }

  /** In front of the ResourceManager; once, before the allocator has asked for anything. */
  public LocalScheduler scheduler(
      ApplicationMasterProtocol resourceManager, Heartbeats heartbeats) {
    return new LocalScheduler(
        resourceManager,
        settings,
        pool,
        clock,
        () -> jobEnds.getAsBoolean(),
        heartbeats,
        this::forget);
  }

  /**
   * Begins to give idle containers to attempts that wait.
   *
   * @param round what the allocator does with each heartbeat; called by a thread of its own
   * @param ends whether no task of the job is to run any more; called with the allocator's lock
   */
  public synchronized void begin(Callable<Void> round, BooleanSupplier ends) {
    begun = true;
    jobEnds = ends;
    rounds = new Rounds(pool, round);
    thread = new Thread(rounds, "warm containers");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * A JVM asks for a task.
   *
   * @param number of its container
   */
  public JvmAnswer asked(long number) {
    JvmAnswer answer = pool.asked(number, clock.getTime());
    if (answer == JvmAnswer.DONE) {
      signal();
    } else if (answer == JvmAnswer.END) {
      toldToEnd(number);
    }
    return answer;
  }

  /** Whether the task that a JVM asks for is a map. */
  public boolean runsMap(long number) {
    return pool.runsMap(number);
  }

  /** A JVM has got its task. */
  public void given(long number) {
    pool.given(number, clock.getTime());
  }

  private synchronized void toldToEnd(long number) {
    WarmContainer done = pool.done(number);
    if (done != null) {
      forget(done);
    }
    notifyAll();
  }

  private synchronized void forget(WarmContainer ended) {
    launcher.forget(ended);
  }

  private synchronized void signal() {
    if (rounds != null) {
      rounds.signal();
    }
  }

  /** Whether containers may run more than one task: not in an ApplicationMaster that runs all. */
  boolean begun() {
    return begun;
  }

  WarmPool pool() {
    return pool;
  }

  LaunchContexts contexts() {
    return contexts;
  }

  long now() {
    return clock.getTime();
  }

  /** Waits a moment until JVMs without a task know that they are to end, so that none is killed. */
  @Override
  public synchronized void close() {
    if (thread == null) {
      return;
    }
    thread.interrupt();
    pool.giveBack(0, clock.getTime());
    long end = System.nanoTime() + TELLING_THE_END.toNanos();
    try {
      while (pool.anyUntold() && System.nanoTime() < end) {
        wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
