package dev.sailfish.hadoop.am;

import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.KeyOrders;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.auto.ReduceMode;
import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.workbuilder.MapWinners;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.collect.PlanReader;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobDiagnosticsUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the plan of a job when all of its maps are done, on a thread of its own, and tells the job
 * with {@link PlanMade}: the one that an earlier attempt of the ApplicationMaster has stored, where
 * it counts ({@link PlanFile#removeUnlessUsed}), else one of the data. Where that fails, also
 * because the job's comparators fail or take too long, the plan is the job's own partitions, and
 * says why. Only a staging directory that cannot be read or written fails the job.
 */
final class Planning {
  private static final Logger LOG = LoggerFactory.getLogger(Planning.class);

  /** How long the job's comparators may work on a plan. */
  private static final Duration MOST_PLANNING = Duration.ofSeconds(30);

  private static final long SHORTEST_WAIT_MS = 50;
  private static final long LONGEST_WAIT_MS = 2_000;
  private static final int ALL = Integer.MAX_VALUE;

  private final JobConf conf;
  private final Supplier<ClassLoader> classes;
  private final SailfishJob settings;
  private final Credentials credentials;
  private final ReduceMode mode;
  private final PlanFile file;
  private final ToIntFunction<JobConf> containers;
  private final double startCores = WorkCounter.coresSinceStart();
  private final EventHandler<Event<?>> events;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * Made while the ApplicationMaster starts.
   *
   * @param conf of the job
   * @param classes finds the job's classes, once the ApplicationMaster has started
   * @param containers how many of the job's reduce tasks can run at once
   * @param events of the ApplicationMaster
   */
  Planning(
      JobConf conf,
      Supplier<ClassLoader> classes,
      Credentials credentials,
      ReduceMode mode,
      PlanFile file,
      ToIntFunction<JobConf> containers,
      EventHandler<Event<?>> events) {
    this.conf = conf;
    this.classes = classes;
    settings = SailfishJob.keys(conf);
    this.credentials = credentials;
    this.mode = mode;
    this.file = file;
    this.containers = containers;
    this.events = events;
  }

  /** Begins, unless it has begun already: for a job whose maps all have a winner now. */
  void begin(SailfishJobImpl job) {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    MapWinners winners = winners(job);
    conf.setClassLoader(classes.get());
    Thread thread = new Thread(() -> run(job, winners), "reduce planning");
    thread.setDaemon(true);
    thread.setContextClassLoader(conf.getClassLoader());
    thread.start();
  }

  private static MapWinners winners(Job job) {
    MapWinners winners = new MapWinners(job.getTotalMaps());
    for (TaskCompletionEvent event : job.getMapAttemptCompletionEvents(0, ALL)) {
      int map = event.getTaskAttemptId().getTaskID().getId();
      if (event.getTaskStatus() == TaskCompletionEvent.Status.SUCCEEDED) {
        winners.succeeded(map, event.getTaskAttemptId().getId());
      } else if (event.getTaskStatus() == TaskCompletionEvent.Status.TIPFAILED) {
        winners.gaveUp(map);
      } else {
        winners.withdrawn(map, event.getTaskAttemptId().getId());
      }
    }
    return winners;
  }

  private void run(SailfishJobImpl job, MapWinners winners) {
    job.listener().planningBegins();
    ReducePlan plan = null;
    try {
      plan = file.load();
      if (plan == null) {
        plan = make(job, winners);
        if (plan != null) {
          plan = file.store(plan);
        }
      } else {
        LOG.info("The plan of an earlier attempt of the ApplicationMaster counts");
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("No plan of reduce work can be kept", e);
      events.handle(
          new JobDiagnosticsUpdateEvent(
              job.getID(), "The plan of reduce work can be neither read nor stored: " + e));
      events.handle(new JobEvent(job.getID(), JobEventType.INTERNAL_ERROR));
      return;
    } finally {
      begun.set(plan != null);
    }
    if (plan != null) {
      events.handle(new PlanMade(job.getID(), plan));
      keep(plan, TypeConverter.fromYarn(job.getID()).toString());
    }
  }

  /** Leaves a copy for people: no job fails or waits because of it. */
  private void keep(ReducePlan plan, String job) {
    try {
      PlanFile copy = PlanFile.copy(job, conf);
      if (copy != null && !plan.equals(copy.load())) {
        copy.remove();
        copy.store(plan);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("No copy of the plan is kept, as {} asks for", JobKey.REDUCE_WORK_PLANS, e);
    }
  }

  /** A plan of the data, or of the job's own partitions; null when maps have to run again first. */
  private ReducePlan make(SailfishJobImpl job, MapWinners winners) {
    long began = System.nanoTime();
    try {
      JobData data = read(job, winners.pairs());
      if (!data.lost().isEmpty()) {
        job.runAgain(attempts(job.getID(), data.lost()), "no server knows what it has written");
        return null;
      }
      ReducePlan plan = withinTime(data::plan);
      LOG.info("The plan was made in {} ms", (System.nanoTime() - began) / 1_000_000);
      return plan;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fixed(job, e);
    } catch (ExecutionException e) {
      return fixed(job, e.getCause());
    } catch (IOException | TimeoutException | RuntimeException | LinkageError e) {
      return fixed(job, e);
    }
  }

  private ReducePlan fixed(SailfishJobImpl job, Throwable why) {
    LOG.warn("No plan can be made of the data: each partition is a reduce task", why);
    job.listener().planRefused("No plan can be made of the data, because of " + why);
    return ReducePlan.fixed(
        conf.getNumReduceTasks(), "as many as the job has partitions, because of " + why);
  }

  private static List<TaskAttemptId> attempts(JobId job, List<Integer> pairs) {
    List<TaskAttemptId> attempts = new ArrayList<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      attempts.add(
          MRBuilderUtils.newTaskAttemptId(
              MRBuilderUtils.newTaskId(job, pairs.get(i), TaskType.MAP), pairs.get(i + 1)));
    }
    return attempts;
  }

  /**
   * Asks servers until all chunks that matter are sorted, or none was for the clients' deadline.
   */
  private JobData read(SailfishJobImpl job, int[] winners)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    String name = TypeConverter.fromYarn(job.getID()).toString();
    Duration deadline = settings.get(JobKey.DEADLINE);
    Network network = settings.network();
    String caller = "ApplicationMaster of " + name;
    GroupOrder order = withinTime(() -> KeyOrders.groups(conf));
    try (MetaserverClient metaserver =
        new MetaserverClient(network, settings.metaservers(), caller, credentials, deadline)) {
      PlanReader reader =
          new PlanReader(
              metaserver,
              server -> ChunkserverClient.connect(network, server, caller, credentials, deadline),
              name,
              order);
      long changed = network.nanoTime();
      int unsorted = ALL;
      long waitMs = SHORTEST_WAIT_MS;
      while (true) {
        JobData data = reader.read(winners, true, bytes -> policy(job, bytes));
        if (data.unsorted() < unsorted) {
          unsorted = data.unsorted();
          changed = network.nanoTime();
        }
        boolean patient = network.nanoTime() - changed < deadline.toNanos();
        if (!data.lost().isEmpty() || data.unsorted() == 0 || !patient) {
          return data;
        }
        network.pause(network.nanoTime() + waitMs * 1_000_000, "sorted chunks");
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
      }
    }
  }

  private ReducePolicy policy(Job job, long bytes) {
    long given = settings.get(JobKey.REDUCE_WORK_TARGET);
    WorkTarget target =
        given > 0
            ? WorkTarget.given(given)
            : MapCosts.cost(job, containers.applyAsInt(conf), startCores).target(bytes);
    int most = settings.get(JobKey.REDUCE_WORK_MOST);
    return new ReducePolicy(target, most, true, settings.get(JobKey.REDUCE_WORK_COALESCE));
  }

  /** The job's comparators run on a thread that may hang without harm. */
  private <T> T withinTime(Callable<T> work)
      throws InterruptedException, ExecutionException, TimeoutException {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "comparators of the job");
    thread.setDaemon(true);
    thread.setContextClassLoader(conf.getClassLoader());
    thread.start();
    try {
      return task.get(MOST_PLANNING.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      throw new TimeoutException(
          "the job's comparators took longer than " + MOST_PLANNING.toSeconds() + " s");
    }
  }
}
