package dev.sailfish.hadoop;

import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.auto.PlannedReduce;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.imerger.LostBlocksException;
import dev.sailfish.protocol.client.LeaseKeeper;
import dev.sailfish.workbuilder.MapWinners;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reduce side of the shuffle: learns the winning map attempts from the AM, lets an {@link
 * Imerger} fetch and merge the partition's sorted runs, and gives ReduceTask their records. Made by
 * {@link SailfishShuffleConsumer}.
 *
 * <p>Reducers may start before the maps end: while it waits, it fetches what is already sorted.
 * When blocks of winning attempts are lost, it reports them as fetch failures, so that the stock AM
 * runs those maps again, and goes on with the new winners; when records were given away already,
 * the attempt fails after that.
 *
 * <p>Sailfish's ApplicationMaster may have given the task another work than the partition of its
 * number ({@link PlannedReduce}): a range of one, or several partitions, each with an imerger of
 * its own.
 *
 * <p>In a job that recomputes lost files it may read what is kept of the map output of the job that
 * has made them first ({@link KeptOutput}). What cannot be read of it, it reads of the maps of its
 * own job, for which it asks the ApplicationMaster.
 *
 * <p>Where map output is local files ({@link SailfishJob#whyStock}), stock's {@link Shuffle} works
 * instead.
 *
 * <p>All methods are called on the task's main thread.
 */
public final class IfileShuffleConsumer<K, V> implements ShuffleConsumerPlugin<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(IfileShuffleConsumer.class);
  private static final long EVENT_POLL_MS = 500;

  /** Of the time that early reads have gone on, the pause until the next is this part. */
  private static final int EARLY_READ_SHARE = 10;

  private static final long LONGEST_EARLY_PAUSE_NS = 30_000_000_000L;

  /** How often it is tried whether a server that is away has come back. */
  private static final long AWAY_POLL_NS = 1_000_000_000;

  private static final int FEWEST_EVENTS = 100;
  private static final int MOST_EVENTS = 10_000;
  private static final int EVENTS_OF_ALL_REDUCES = 3_000_000;

  /** Most names of map attempts in one status update, of about 30 bytes each. */
  private static final int MOST_NAMES = 10_000;

  private Context<K, V> context;
  private Shuffle<K, V> stock;
  private TaskAttemptID reduce;
  private Duration deadline;

  /** What is done over it is no progress of the task. */
  private Network network;

  private MapWinners winners;
  private int nextEvent;
  private PlannedReduce planned;
  private ImergerConfig config;
  private Imerger merger;
  private LeaseKeeper lease;
  private MergedRecords records;
  private FetchFailureReports reports;

  /** What is read in place of the output of this job's maps; null: nothing, or not any more. */
  private KeptOutput kept;

  /**
   * Whether what this attempt has lost may be there again, because it was away with its server.
   * Another attempt does not try it: what was withdrawn may be damaged, behind where a merge
   * starts.
   */
  private boolean mayBeBack;

  private long triedNs;

  /** Of how many maps the merge has the output. */
  private int mapOutputs;

  /** Called by reflection. */
  public IfileShuffleConsumer() {}

  @Override
  public void init(Context<K, V> shuffleContext) {
    context = shuffleContext;
    JobConf job = shuffleContext.getJobConf();
    String why =
        shuffleContext.getLocalMapFiles() != null ? "they are given" : SailfishJob.whyStock(job);
    if (why != null) {
      LOG.info("Map output is local files, so the stock shuffle fetches it: {}", why);
      stock = new Shuffle<>();
      stock.init(shuffleContext);
    } else if (new SailfishJob(job).whyAuto() != null) {
      // Now, before ReduceTask makes user code of the configuration.
      planned = PlannedReduce.of(shuffleContext.getReduceTask(), job, shuffleContext.getReporter());
      LOG.info(
          "Reduce work: {}",
          planned == null
              ? "the partition of the task's number; no plan of a Sailfish ApplicationMaster came"
              : planned);
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    if (stock != null) {
      return stock.run();
    }
    long start = System.nanoTime();
    JobConf job = context.getJobConf();
    SailfishJob settings = SailfishJob.of(job);
    deadline = settings.get(JobKey.DEADLINE);
    reduce = TaskAttemptID.downgrade(context.getReduceId());
    winners = new MapWinners(((ReduceTask) context.getReduceTask()).getNumMaps());
    openLinks(job, settings);
    if (job.get(SailfishJob.KEPT_JOB) != null && !SailfishJob.keptOutputIsLost()) {
      kept = KeptOutput.of(job, config, reduce.toString());
    }
    beginPartition();
    context.getShuffledMapsCounter().increment(mapOutputs);
    context.getCopyPhase().complete();
    LOG.info(
        "Reduce input comes from I-files: {} of {} maps have some, ready in {} ms",
        merger.statistics().mapOutputs(),
        winners.maps(),
        (System.nanoTime() - start) / 1_000_000);
    if (kept != null) {
      LOG.info("They are those of {}, which are kept: no map runs for them", kept);
    }
    records =
        new MergedRecords(
            merger,
            context.getReduceShuffleBytes(),
            context.getSpilledRecordsCounter(),
            this,
            planned);
    return records;
  }

  private void openLinks(JobConf job, SailfishJob settings) throws IOException {
    network = settings.network();
    config =
        new ImergerConfig(
            settings.metaservers(),
            settings.mergerMemory(),
            spillDirectory(job),
            deadline,
            settings.refusalPatience(SailfishJob.mapsRunAgainAtOnce()),
            settings.credentials(context.getReduceTask()),
            new ProgressNetwork(network, context.getReporter()));
  }

  /** Waits until the partition that is to be read next can be, and begins its merge. */
  private void beginPartition() throws IOException, InterruptedException {
    int partition = planned == null ? reduce.getTaskID().getId() : planned.partition();
    KeyOrder order = KeyOrders.of(context.getJobConf());
    if (!beginKept(partition, order)) {
      String job = reduce.getJobID().toString();
      if (lease == null) {
        lease =
            LeaseKeeper.start(
                network, config.metaservers(), job, reduce.toString(), config.credentials());
      }
      merger = Imerger.open(config, job, partition, order, reduce.toString());
      boolean begun = false;
      while (!begun) {
        begun = begin();
      }
    }
    context.getMergedMapOutputsCounter().increment(merger.statistics().mapOutputs());
  }

  /** Begins the merge of what is kept; false when there is nothing, or it cannot be read. */
  private boolean beginKept(int partition, KeyOrder order) throws IOException {
    if (kept == null) {
      return false;
    }
    try {
      KeyRange range = planned == null ? null : planned.range();
      merger = kept.begin(partition, range, order, winners.maps());
      mapOutputs = winners.maps();
      return true;
    } catch (IOException e) {
      keptIsLost(e);
      return false;
    }
  }

  /** What is kept cannot be read: from here on the job's own maps count, which are asked for. */
  private void keptIsLost(IOException why) throws IOException {
    Clock.checkInterrupt("reading kept map output");
    LOG.warn("What is kept of {} cannot be read, so maps have to run: {}", kept, why.toString());
    kept = null;
    TaskStatus status = (TaskStatus) context.getStatus().clone();
    status.addFetchFailedMap(mapAttempt(0, SailfishJob.NO_ATTEMPT));
    try {
      send(status);
    } catch (InterruptedException e) {
      throw interrupted("asking for maps", e);
    }
  }

  /**
   * The merge of the work's next partition, when one was read to its end.
   *
   * @return null when there is none
   */
  Imerger nextPartition() throws IOException {
    if (planned == null || !planned.advance(merger)) {
      return null;
    }
    merger.close();
    try {
      beginPartition();
    } catch (InterruptedException e) {
      throw interrupted("waiting for " + planned, e);
    }
    return merger;
  }

  /**
   * Waits for all winners and starts the merge; false when blocks are lost and maps must run again.
   * While those run, the outputs that are lost with a server that is away are read if it comes back
   * first.
   */
  private boolean begin() throws IOException, InterruptedException {
    int[] attempts = awaitAttempts();
    try {
      merger.start(attempts, planned == null ? null : planned.range());
      lease.leaseLasts(merger.leaseMs());
      mapOutputs = attempts.length / 2;
      if (!winners.complete()) {
        LOG.info("Map output that was lost is there again, before its maps have run again");
      }
      return true;
    } catch (LostBlocksException e) {
      reportLoss(e);
      checkLosses(e);
      triedNs = System.nanoTime();
      return false;
    }
  }

  /**
   * Ends what has no end where maps run again at once and nobody is charged: a server that damages
   * whatever it gets loses the output of the same map again and again.
   */
  private void checkLosses(LostBlocksException last) throws IOException {
    int most = context.getJobConf().getMaxMapAttempts();
    if (reports.mostLosses() > most) {
      throw new IOException(
          "the output of the same map was lost %d times, and %s=%d: %s"
              .formatted(
                  reports.mostLosses(), MRJobConfig.MAP_MAX_ATTEMPTS, most, last.getMessage()),
          last);
    }
  }

  /** Pairs (map, attempt) that may all be there: winners, or some that were winners before. */
  private int[] awaitAttempts() throws IOException, InterruptedException {
    long beganNs = System.nanoTime();
    long earlyNs = beganNs;
    boolean news = false;
    while (true) {
      news |= pollEvents();
      showProgress();
      if (winners.complete()) {
        return winners.pairs();
      }
      if (mayBeBack && System.nanoTime() - triedNs >= AWAY_POLL_NS) {
        int[] attempts = winners.pairsWithWithdrawn();
        if (attempts != null) {
          return attempts;
        }
      }
      if (news && System.nanoTime() - earlyNs >= 0) {
        news = false;
        merger.prefetch(winners.pairs());
        lease.leaseLasts(merger.leaseMs());
        context.getReporter().progress();
        long nowNs = System.nanoTime();
        earlyNs = nowNs + earlyPauseNs(nowNs - beganNs);
      }
      pause(EVENT_POLL_MS);
    }
  }

  /**
   * How long nothing more is read early. Each time the metaserver is asked for all winners so far,
   * by all reducers that wait: so the longer the maps take, the more seldom.
   *
   * @param waitedNs since the first time
   */
  static long earlyPauseNs(long waitedNs) {
    return Math.min(waitedNs / EARLY_READ_SHARE, LONGEST_EARLY_PAUSE_NS);
  }

  /**
   * Asks the AM for the maps' completion events that are new, and applies them to the winners.
   *
   * @return whether any event came
   */
  private boolean pollEvents() throws IOException {
    // As stock: all reduces together must not make the AM hold too many events at once.
    int share = EVENTS_OF_ALL_REDUCES / Math.max(1, context.getJobConf().getNumReduceTasks());
    int most = Math.max(FEWEST_EVENTS, Math.min(MOST_EVENTS, share));
    int before = nextEvent;
    TaskCompletionEvent[] events;
    do {
      events =
          context
              .getUmbilical()
              .getMapCompletionEvents(JobID.downgrade(reduce.getJobID()), nextEvent, most, reduce)
              .getMapTaskCompletionEvents();
      nextEvent += events.length;
      for (TaskCompletionEvent event : events) {
        apply(event);
      }
    } while (events.length == most);
    return nextEvent > before;
  }

  private void apply(TaskCompletionEvent event) {
    TaskAttemptID attempt = event.getTaskAttemptId();
    int map = attempt.getTaskID().getId();
    // No switch: a task would load another class for it.
    TaskCompletionEvent.Status status = event.getTaskStatus();
    if (status == TaskCompletionEvent.Status.SUCCEEDED) {
      winners.succeeded(map, attempt.getId());
    } else if (status == TaskCompletionEvent.Status.TIPFAILED) {
      winners.gaveUp(map);
    } else {
      winners.withdrawn(map, attempt.getId());
    }
  }

  private void showProgress() {
    int maps = winners.maps();
    int done = maps - winners.undecided();
    context.getCopyPhase().set(maps == 0 ? 1 : (float) done / maps);
    context.getStatus().setStateString(done + " / " + maps + " copied.");
    context.getReporter().progress();
  }

  /**
   * Tells the AM which map outputs cannot be read, and waits until it has withdrawn all of them.
   * What another reducer has told it of already is not told again.
   */
  private void reportLoss(LostBlocksException loss) throws IOException, InterruptedException {
    int[] lost = loss.mapAttemptPairs();
    mayBeBack = loss.serversAway();
    boolean fresh = counting(lost) > 0;
    if (fresh) {
      LOG.warn("Map output is lost, asking for it again: {}", loss.getMessage());
    }
    if (reports == null) {
      JobConf job = context.getJobConf();
      reports =
          FetchFailureReports.of(
              job,
              job.getNumReduceTasks(),
              reduce.getTaskID().getId(),
              SailfishJob.mapsRunAgainAtOnce());
    }
    long changed = System.nanoTime();
    for (int i = 0; i < lost.length; i += 2) {
      if (reports.lost(lost[i], lost[i + 1], changed)) {
        context.getFailedShuffleCounter().increment(1);
      }
    }
    pollEvents();
    int counting = counting(lost);
    while (counting > 0) {
      report(lost);
      pause(EVENT_POLL_MS);
      context.getReporter().progress();
      pollEvents();
      int still = counting(lost);
      if (still < counting) {
        changed = System.nanoTime();
        counting = still;
      } else if (System.nanoTime() - changed > deadline.toNanos()) {
        throw new IOException(
            "the AM did not run lost maps again in " + deadline.toSeconds() + " s", loss);
      }
    }
    if (fresh) {
      LOG.info(
          "Waiting for maps to run again: {} of {} have no output",
          winners.undecided(),
          winners.maps());
    }
  }

  /**
   * Names the lost attempts that are due to the AM, in status updates of this method's own: the
   * task's is sent and cleared by another thread.
   */
  private void report(int[] lost) throws IOException, InterruptedException {
    TaskStatus status = null;
    int named = 0;
    for (int i = 0; i < lost.length; i += 2) {
      boolean counts = winners.counts(lost[i], lost[i + 1]);
      int times = counts ? reports.due(lost[i], lost[i + 1], System.nanoTime()) : 0;
      for (; times > 0; times--) {
        status = status == null ? (TaskStatus) context.getStatus().clone() : status;
        status.addFetchFailedMap(mapAttempt(lost[i], lost[i + 1]));
        if (++named % MOST_NAMES == 0) {
          send(status);
          status = null;
        }
      }
    }
    if (status != null) {
      send(status);
    }
  }

  private void send(TaskStatus status) throws IOException, InterruptedException {
    if (!context.getUmbilical().statusUpdate(reduce, status).getTaskFound()) {
      throw new IOException("the AM does not know this attempt any more: attempt=" + reduce);
    }
  }

  /**
   * Tells the AM of a loss that shows only while records are being read, as a damaged block does
   * that is not the first of its run; called before the loss fails this attempt, which has given
   * records away. Waits until none of the lost outputs counts, so that the next attempt does not
   * begin with the same ones. Of what is kept nothing is read again, whatever the error.
   */
  void failedWhileReading(IOException error) throws IOException {
    if (kept != null) {
      keptIsLost(error);
      return;
    }
    if (!(error instanceof LostBlocksException loss)) {
      return;
    }
    try {
      reportLoss(loss);
    } catch (InterruptedException e) {
      throw interrupted("reporting: " + loss.getMessage(), e);
    }
  }

  private static InterruptedIOException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("interrupted while " + what);
    interrupted.initCause(cause);
    return interrupted;
  }

  /** How many of the lost (map, attempt) are among the winners. */
  private int counting(int[] lost) {
    int counting = 0;
    for (int i = 0; i < lost.length; i += 2) {
      counting += winners.counts(lost[i], lost[i + 1]) ? 1 : 0;
    }
    return counting;
  }

  private TaskAttemptID mapAttempt(int map, int attempt) {
    JobID job = JobID.downgrade(reduce.getJobID());
    return new TaskAttemptID(new TaskID(job, TaskType.MAP, map), attempt);
  }

  private synchronized void pause(long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    for (long left = millis; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      wait(left);
    }
  }

  /**
   * Where the runs are for which there is no memory: one of the node's local directories, which
   * Hadoop chooses as it does for its own files, by the room that they have.
   *
   * @throws IOException when none can be written
   */
  static Path spillDirectory(JobConf job) throws IOException {
    if (job.getTrimmedStrings(MRConfig.LOCAL_DIR).length == 0) {
      return Path.of(System.getProperty("java.io.tmpdir"));
    }
    LocalDirAllocator directories = new LocalDirAllocator(MRConfig.LOCAL_DIR);
    return Path.of(directories.getLocalPathForWrite("run", job).getParent().toUri().getPath());
  }

  @Override
  public void close() {
    if (stock != null) {
      stock.close();
    }
    if (records != null) {
      records.update();
    }
    if (lease != null) {
      lease.close();
    }
    if (merger != null) {
      merger.close();
    }
    if (planned != null) {
      planned.ended();
    }
  }
}
