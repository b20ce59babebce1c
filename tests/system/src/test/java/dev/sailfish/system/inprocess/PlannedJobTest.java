package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.KeyOrders;
import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.StockOutput;
import dev.sailfish.system.inprocess.InProcessJob.Timing;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.collect.PlanReader;
import dev.sailfish.workbuilder.plan.PartitionTotal;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random jobs whose reduce work is made of the data, with random targets, give the records of stock
 * in the same order: their output files, one after the other, have the same bytes as stock's.
 *
 * <p>Repeat a run with {@code -Dsailfish.seed=N}, one job of it with {@code -Dsailfish.jobs=1} and
 * the job's seed; {@code -Dsailfish.jobs=K} sets how many there are.
 */
class PlannedJobTest {
  private static final int JOBS = Integer.getInteger("sailfish.jobs", 100);
  private static final int MOST_WORKS = 60;
  private static final Duration SORTED = Duration.ofSeconds(60);

  /** From so many jobs on, a run in which no plan did it has stopped doing it. */
  private static final int ENOUGH_JOBS = 50;

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static int lastJob;
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final AtomicInteger SPLIT = new AtomicInteger();
  private static final AtomicInteger TOGETHER = new AtomicInteger();
  private static final AtomicInteger SPLIT_OF_GROUPS = new AtomicInteger();

  @BeforeAll
  static void startDaemons() throws Exception {
    daemons = SailfishDaemons.start(temporary, 3, Map.of());
  }

  @AfterAll
  static void stopDaemons() throws Exception {
    if (daemons != null) {
      daemons.close();
    }
  }

  /** The factory's own jobs come before: what they have done is known by now. */
  @AfterAll
  static void plansShouldHaveSplitAndCoalesced() {
    System.out.printf(
        "PlannedJobTest jobs=%d with split partitions=%d, of them with a grouping comparator=%d,"
            + " with partitions together=%d%n",
        RUNS.get(), SPLIT.get(), SPLIT_OF_GROUPS.get(), TOGETHER.get());
    if (RUNS.get() >= ENOUGH_JOBS) {
      assertThat(SPLIT.get()).as("jobs with split partitions").isPositive();
      assertThat(SPLIT_OF_GROUPS.get()).as("of them with a grouping comparator").isPositive();
      assertThat(TOGETHER.get()).as("jobs with partitions together").isPositive();
    }
  }

  @TestFactory
  Iterable<DynamicTest> shouldGiveTheRecordsOfStockInTheirOrder() {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("PlannedJobTest seed=" + seed + " jobs=" + JOBS);
    return () ->
        new SplittableRandom(seed)
            .longs(JOBS)
            .map(next -> JOBS == 1 ? seed : next)
            .mapToObj(next -> DynamicTest.dynamicTest("seed " + next, () -> compare(next)))
            .iterator();
  }

  private static void compare(long seed) throws Exception {
    RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
    Path work = temporary.resolve(Long.toHexString(seed));
    SplittableRandom random = new SplittableRandom(seed + 1);
    AtomicReference<ReducePlan> plan = new AtomicReference<>();
    Path output = work.resolve("planned");
    Map<TaskAttemptID, Counters> counters = run(spec, output, random, plan);
    String description = spec + "\n" + PlanText.table(plan.get());
    assertThat(OutputFiles.read(output)).as(description).hasSize(plan.get().works().size());
    assertThat(inOrder(output)).as(description).isEqualTo(inOrder(stock(spec, work)));
    plan.get().totals().forEach(total -> checkPieces(total, plan.get(), counters));
    note(spec, plan.get());
  }

  private static Path stock(RandomJobSpec spec, Path work) throws Exception {
    StockOutput.of(spec, work);
    return work.resolve("stock");
  }

  private static String inOrder(Path output) throws Exception {
    return String.join("", OutputFiles.read(output).values());
  }

  private static void note(RandomJobSpec spec, ReducePlan plan) {
    boolean split = !plan.totals().isEmpty();
    RUNS.incrementAndGet();
    SPLIT.addAndGet(split ? 1 : 0);
    SPLIT_OF_GROUPS.addAndGet(split && spec.grouped() ? 1 : 0);
    TOGETHER.addAndGet(plan.works().stream().anyMatch(one -> one.partitions() > 1) ? 1 : 0);
  }

  private static Map<TaskAttemptID, Counters> run(
      RandomJobSpec spec, Path output, SplittableRandom random, AtomicReference<ReducePlan> made)
      throws Exception {
    Job job = Job.getInstance(new JobConf());
    spec.configure(job);
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setBoolean(RandomJobSpec.SEVERAL_PARTITIONS, true);
    conf.set(FileOutputFormat.OUTDIR, output.toUri().toString());
    conf.set("hadoop.tmp.dir", output.resolveSibling("tmp").toString());
    conf.set("sailfish.imerger.memory", random.nextInt(5) + "m");
    conf.set("sailfish.chunk.size", 1 + random.nextInt(8) + "m");
    conf.set("sailfish.iappender.memory", 8 + random.nextInt(57) + "m");
    int number = ++lastJob;
    File work = output.resolveSibling("work").toFile();
    Timing timing = new Timing(1 + random.nextInt(3), false, 0.2);
    try (MetaserverClient metaserver = daemons.client()) {
      Map<TaskAttemptID, Counters> counters =
          InProcessJob.runPlanned(
              job,
              daemons.address(),
              number,
              work,
              timing,
              random.nextLong(),
              (jobConf, id, winners) -> {
                made.set(plan(daemons, jobConf, id, winners, random));
                return made.get();
              });
      metaserver.deleteJob(new JobID("1700000000000", number).toString());
      return counters;
    }
  }

  /** Of a target that makes a few pieces of the largest partition, or joins most. */
  static ReducePlan plan(
      SailfishDaemons daemons, JobConf conf, JobID id, int[] winners, SplittableRandom random)
      throws IOException {
    int parts = 1 + random.nextInt(30);
    int most = 1 + random.nextInt(MOST_WORKS);
    try (MetaserverClient metaserver = daemons.client()) {
      PlanReader reader =
          new PlanReader(
              metaserver,
              server -> ChunkserverClient.connect(server, "planner", daemons.cluster(), SORTED),
              id.toString(),
              KeyOrders.groups(conf));
      JobData data =
          Awaitility.await()
              .atMost(SORTED)
              .until(
                  () ->
                      reader.read(
                          winners,
                          true,
                          bytes ->
                              ReducePolicy.auto(
                                  WorkTarget.given(Math.max(1, bytes / parts)), most)),
                  read -> read.unsorted() == 0);
      return data.plan();
    }
  }

  /** What the pieces of a partition have delivered together. */
  private static void checkPieces(
      PartitionTotal total, ReducePlan plan, Map<TaskAttemptID, Counters> counters) {
    long records = 0;
    long bytes = 0;
    long checksum = 0;
    for (Map.Entry<TaskAttemptID, Counters> task : counters.entrySet()) {
      boolean reduce = task.getKey().getTaskType() == TaskType.REDUCE;
      ReduceWork work = reduce ? plan.works().get(task.getKey().getTaskID().getId()) : null;
      if (reduce && work.firstPartition() == total.partition()) {
        assertThat(count(task.getValue(), WorkCounter.PIECES_READ)).isEqualTo(1);
        records += count(task.getValue(), WorkCounter.PIECE_RECORDS);
        bytes += count(task.getValue(), WorkCounter.PIECE_BYTES);
        checksum += count(task.getValue(), WorkCounter.PIECE_CHECKSUM);
      }
    }
    assertThat(new PartitionTotal(total.partition(), records, bytes, checksum)).isEqualTo(total);
  }

  private static long count(Counters counters, String name) {
    return counters.findCounter(WorkCounter.GROUP, name).getValue();
  }
}
