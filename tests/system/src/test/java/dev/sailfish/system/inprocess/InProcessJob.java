package dev.sailfish.system.inprocess;

import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.hadoop.SailfishShuffleConsumer;
import dev.sailfish.hadoop.auto.RemoteWorkTask;
import dev.sailfish.imerger.LostBlocksException;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.TaskWork;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.AttemptBoard;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;
import org.awaitility.Awaitility;

/**
 * Runs a job in this JVM with Hadoop's own MapTask and ReduceTask and Sailfish's collector and
 * consumer, against real daemons: what a cluster does, without containers.
 */
public final class InProcessJob {
  /** How the job's tasks run. */
  public record Timing(int mapThreads, boolean reducesFirst, double loserShare) {
    /** One map after the other, reduces at the end, no losing attempts. */
    public static final Timing PLAIN = new Timing(1, false, 0);
  }

  /** Something that is done in the middle of a job. */
  interface Step {
    void run() throws Exception;
  }

  /** Makes the reduce work of a job whose maps have all succeeded. */
  interface Planner {
    /**
     * Makes it.
     *
     * @param winners pairs (map, attempt)
     */
    ReducePlan plan(JobConf conf, JobID job, int[] winners) throws Exception;
  }

  private static final long DEADLINE_SECONDS = 120;
  private static final int REDUCE_ATTEMPTS = 4;

  /** Set by who uses the API of {@code org.apache.hadoop.mapred}; a job's client asks the same. */
  private static final String OLD_MAPPER = "mapred.mapper.class";

  private static final String OLD_REDUCER = "mapred.reducer.class";

  /** As tasks get it from the job's client. */
  private static final byte[] SHUFFLE_SECRET = "in-process".getBytes(StandardCharsets.US_ASCII);

  private final JobConf conf;
  private final JobID id;
  private final File work;
  private final Timing timing;
  private final SplittableRandom random;
  private final AttemptBoard board = new AttemptBoard();
  private TaskSplitMetaInfo[] splits;
  private final Set<TaskAttemptID> reruns = new TreeSet<>();
  private final Map<TaskAttemptID, Long> lostSinceNs = new HashMap<>();
  private int mapAttempts = 1;
  private int reduceThreads = 2;
  private Duration amTakes = Duration.ZERO;

  /** What happens instead of maps that run again; null: they do. */
  private Step afterLoss;

  /** What happens when a map has run again, before the AM tells; null: nothing. */
  private Step afterRerun;

  private ReducePlan plan;

  private InProcessJob(Job job, int number, File work, Timing timing, long seed) {
    this.conf = (JobConf) job.getConfiguration();
    this.id = new JobID("1700000000000", number);
    this.work = work;
    this.timing = timing;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs a configured job whose output path is set.
   *
   * @param number makes the job id
   * @param seed of the choice of losing attempts
   * @return counters of every attempt that counts
   */
  public static Map<TaskAttemptID, Counters> run(
      Job job, InetSocketAddress metaserver, int number, File work, Timing timing, long seed)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, number, work, timing, seed);
    run.run(() -> {});
    return run.board.counters();
  }

  /** As {@link #run}, with reduce tasks that are made from a plan, as in {@code auto} mode. */
  static Map<TaskAttemptID, Counters> runPlanned(
      Job job,
      InetSocketAddress metaserver,
      int number,
      File work,
      Timing timing,
      long seed,
      Planner planner)
      throws Exception {
    JobConf conf = (JobConf) job.getConfiguration();
    prepare(conf, metaserver);
    conf.set("sailfish.reduce.work", "auto");
    InProcessJob run = new InProcessJob(job, number, work, timing, seed);
    // A reduce task of a plan expects to be the only one of its JVM, as tasks are.
    run.reduceThreads = 1;
    run.run(() -> run.plan = planner.plan(conf, run.id, run.board.winners()));
    return run.board.counters();
  }

  /** As {@link #run}, with maps that may fail once each. */
  static void runWithFailures(Job job, InetSocketAddress metaserver, int number, File work)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, number, work, Timing.PLAIN, 0);
    run.mapAttempts = 2;
    run.run(() -> {});
  }

  /** Runs the maps of a job as it is configured, one after the other, until one fails. */
  static void runMaps(Job job, File work) throws Exception {
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setUseNewMapper(conf.get(OLD_MAPPER) == null);
    conf.setUseNewReducer(conf.get(OLD_REDUCER) == null);
    InProcessJob run = new InProcessJob(job, 1, work, Timing.PLAIN, 0);
    run.splits = run.writeSplits();
    for (int map = 0; map < run.splits.length; map++) {
      run.execute(run.mapTask(run.attempt(TaskType.MAP, map, 0), map));
    }
  }

  private static void prepare(JobConf conf, InetSocketAddress metaserver) {
    conf.setUseNewMapper(conf.get(OLD_MAPPER) == null);
    conf.setUseNewReducer(conf.get(OLD_REDUCER) == null);
    conf.set(MRConfig.FRAMEWORK_NAME, "in-process");
    conf.set("sailfish.metaserver.address", "127.0.0.1:" + metaserver.getPort());
    conf.set("sailfish.metaserver.public.key", SailfishDaemons.publicKey(metaserver));
    conf.setClass(
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        SailfishMapOutputCollector.class,
        Object.class);
    conf.setClass(MRConfig.SHUFFLE_CONSUMER_PLUGIN, SailfishShuffleConsumer.class, Object.class);
  }

  /**
   * As {@link #run}, with something done to the servers between maps and reduces; maps whose output
   * reducers report as lost run again, as the AM would have it.
   *
   * @return the map attempts whose output was lost
   */
  static Set<TaskAttemptID> runWithLoss(
      Job job, InetSocketAddress metaserver, int number, File work, Step betweenMapsAndReduces)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, number, work, Timing.PLAIN, 0);
    run.run(betweenMapsAndReduces);
    return run.reruns;
  }

  /**
   * Runs a job whose AM, when it is told of a loss, withdraws the map outputs, but whose maps do
   * not run again.
   *
   * @param afterLoss is done once, after that
   */
  static void runWithReturn(
      Job job, InetSocketAddress metaserver, File work, Step betweenMapsAndReduces, Step afterLoss)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, 1, work, Timing.PLAIN, 0);
    run.afterLoss = afterLoss;
    run.run(betweenMapsAndReduces);
  }

  /** Runs the first map of a configured job, with a collector of the caller's choice. */
  static void runFirstMap(
      Job job, Class<?> collector, InetSocketAddress metaserver, int number, File work)
      throws Exception {
    JobConf conf = (JobConf) job.getConfiguration();
    prepare(conf, metaserver);
    conf.setClass(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, collector, Object.class);
    InProcessJob run = new InProcessJob(job, number, work, Timing.PLAIN, 0);
    run.splits = run.writeSplits();
    OutputCommitter committer = run.committer();
    committer.setupJob(new JobContextImpl(conf, run.id));
    run.runMap(0, false);
  }

  /**
   * What a job's losses cost.
   *
   * @param reruns map attempts that ran again
   * @param reports how often each reduce attempt named each map attempt
   * @param counters of every attempt that counts
   * @param silences the longest time in which each attempt reported no progress
   */
  record Losses(
      Set<TaskAttemptID> reruns,
      Map<String, Integer> reports,
      Map<TaskAttemptID, Counters> counters,
      Map<TaskAttemptID, Duration> silences) {}

  /**
   * As {@link #runWithLoss}.
   *
   * @param reduceThreads how many reduces run at a time
   * @param amTakes how long the AM takes to act on a loss that it was told of
   */
  static Losses runWithLosses(
      Job job,
      InetSocketAddress metaserver,
      File work,
      int reduceThreads,
      Duration amTakes,
      Step betweenMapsAndReduces)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, 1, work, Timing.PLAIN, 0);
    run.reduceThreads = reduceThreads;
    run.amTakes = amTakes;
    run.run(betweenMapsAndReduces);
    return new Losses(run.reruns, run.board.reports(), run.board.counters(), run.board.silences());
  }

  /** Runs a job of which all map output is lost, what maps write that run again too. */
  static void runWithLossesForEver(Job job, InetSocketAddress metaserver, File work, Step afterMaps)
      throws Exception {
    prepare((JobConf) job.getConfiguration(), metaserver);
    InProcessJob run = new InProcessJob(job, 1, work, Timing.PLAIN, 0);
    run.reduceThreads = 1;
    run.afterRerun = afterMaps;
    run.run(afterMaps);
  }

  private void run(Step betweenMapsAndReduces) throws Exception {
    splits = writeSplits();
    OutputCommitter committer = committer();
    JobContextImpl context = new JobContextImpl(conf, id);
    committer.setupJob(context);
    ExecutorService maps = Executors.newFixedThreadPool(timing.mapThreads());
    ExecutorService reduces = Executors.newFixedThreadPool(reduceThreads);
    try {
      List<Future<?>> running = new ArrayList<>();
      if (timing.reducesFirst()) {
        submitReduces(reduces, running);
      }
      for (int map = 0; map < splits.length; map++) {
        int ordinal = map;
        boolean loser = random.nextDouble() < timing.loserShare();
        running.add(maps.submit(() -> runMap(ordinal, loser)));
      }
      if (!timing.reducesFirst()) {
        await(running);
        betweenMapsAndReduces.run();
        running.clear();
        submitReduces(reduces, running);
      }
      await(running);
    } finally {
      maps.shutdownNow();
      reduces.shutdownNow();
    }
    committer.commitJob(context);
  }

  private void submitReduces(ExecutorService pool, List<Future<?>> running) {
    int tasks = plan == null ? conf.getNumReduceTasks() : plan.works().size();
    for (int reduce = 0; reduce < tasks; reduce++) {
      int ordinal = reduce;
      running.add(pool.submit(() -> runReduce(ordinal)));
    }
  }

  /** Waits for all; the first failure of any ends the wait. */
  private void await(List<Future<?>> running) throws Exception {
    Awaitility.await()
        .atMost(Duration.ofSeconds(DEADLINE_SECONDS))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              rerunLostMaps();
              return running.stream().allMatch(Future::isDone) || failed(running) != null;
            });
    Throwable failure = failed(running);
    if (failure != null) {
      throw new IOException("a task failed: " + failure, failure);
    }
  }

  private void rerunLostMaps() throws Exception {
    for (TaskAttemptID lost : board.reportedLost()) {
      long sinceNs = lostSinceNs.computeIfAbsent(lost, attempt -> System.nanoTime());
      if (System.nanoTime() - sinceNs >= amTakes.toNanos() && reruns.add(lost)) {
        board.mapObsolete(lost);
        runAgain(lost);
      }
    }
  }

  private void runAgain(TaskAttemptID lost) throws Exception {
    if (afterLoss == null) {
      int map = lost.getTaskID().getId();
      TaskAttemptID next = attempt(TaskType.MAP, map, lost.getId() + 1);
      execute(mapTask(next, map));
      if (afterRerun != null) {
        afterRerun.run();
      }
      board.mapSucceeded(next);
    } else if (reruns.size() == 1) {
      afterLoss.run();
    }
  }

  private static Throwable failed(List<Future<?>> running) throws Exception {
    for (Future<?> task : running) {
      if (task.isDone()) {
        try {
          task.get();
        } catch (ExecutionException e) {
          return e.getCause();
        }
      }
    }
    return null;
  }

  private Object runMap(int map, boolean loserFirst) throws Exception {
    TaskAttemptID attempt = attempt(TaskType.MAP, map, 0);
    try {
      attempt = runAttempts(map);
    } catch (IOException | RuntimeException e) {
      if (conf.getInt(JobContext.MAP_FAILURES_MAX_PERCENT, 0) == 0) {
        throw e;
      }
      board.mapGivenUp(attempt);
      return attempt;
    }
    if (loserFirst) {
      // The first attempt wins for a while, as when its node is lost after it succeeded.
      board.mapSucceeded(attempt);
      board.mapObsolete(attempt);
      attempt = attempt(TaskType.MAP, map, 1);
      execute(mapTask(attempt, map));
    }
    board.mapSucceeded(attempt);
    return attempt;
  }

  /** Returns the first attempt that does not fail. */
  private TaskAttemptID runAttempts(int map) throws Exception {
    for (int number = 0; ; number++) {
      TaskAttemptID attempt = attempt(TaskType.MAP, map, number);
      try {
        execute(mapTask(attempt, map));
        return attempt;
      } catch (IOException | RuntimeException e) {
        if (number + 1 == mapAttempts) {
          throw e;
        }
      }
    }
  }

  private MapTask mapTask(TaskAttemptID attempt, int map) {
    return new MapTask(work + "/job.xml", attempt, map, splits[map].getSplitIndex(), 1);
  }

  /** An attempt that loses map output after it has begun to read fails; the next one goes on. */
  private Object runReduce(int reduce) throws Exception {
    for (int number = 0; ; number++) {
      TaskAttemptID attempt = attempt(TaskType.REDUCE, reduce, number);
      try {
        execute(reduceTask(attempt, reduce));
        return attempt;
      } catch (IOException | RuntimeException e) {
        board.ended(attempt);
        if (!isLoss(e) || number + 1 == REDUCE_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Task reduceTask(TaskAttemptID attempt, int reduce) {
    ReduceTask stock = new ReduceTask(work + "/job.xml", attempt, reduce, splits.length, 1);
    if (plan == null) {
      return stock;
    }
    stock.setConf(conf);
    TaskWork own = new TaskWork(plan.works().get(reduce), plan.works().size());
    return RemoteWorkTask.of(AttemptBoard.owned(stock), own.encode());
  }

  private static boolean isLoss(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof LostBlocksException) {
        return true;
      }
    }
    return false;
  }

  private void execute(Task task) throws Exception {
    JobConf local = new JobConf(conf);
    local.set(MRConfig.LOCAL_DIR, new File(work, "local").toString());
    local.setUser(System.getProperty("user.name"));
    task.setJobFile(work + "/job.xml");
    task.localizeConfiguration(local);
    task.setConf(local);
    task.setShuffleSecret(JobTokenSecretManager.createSecretKey(SHUFFLE_SECRET));
    task.run(local, board);
  }

  private TaskAttemptID attempt(TaskType type, int ordinal, int number) {
    return new TaskAttemptID(new TaskID(id, type, ordinal), number);
  }

  private TaskSplitMetaInfo[] writeSplits() throws Exception {
    Path directory = new Path(work.toURI());
    FileSystem files = FileSystem.getLocal(conf);
    if (conf.getUseNewMapper()) {
      JobContextImpl context = new JobContextImpl(conf, id);
      InputFormat<?, ?> input = ReflectionUtils.newInstance(context.getInputFormatClass(), conf);
      List<InputSplit> all = input.getSplits(context);
      JobSplitWriter.createSplitFiles(directory, conf, files, all);
    } else {
      JobSplitWriter.createSplitFiles(
          directory, conf, files, conf.getInputFormat().getSplits(conf, 1));
    }
    return SplitMetaInfoReader.readSplitMetaInfo(id, files, conf, directory);
  }

  private OutputCommitter committer() throws Exception {
    if (!conf.getUseNewReducer()) {
      return conf.getOutputCommitter();
    }
    TaskAttemptContextImpl context = new TaskAttemptContextImpl(conf, attempt(TaskType.MAP, 0, 0));
    return ReflectionUtils.newInstance(context.getOutputFormatClass(), conf)
        .getOutputCommitter(context);
  }
}
