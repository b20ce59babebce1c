package dev.sailfish.system.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.StockOutput;
import dev.sailfish.system.inprocess.InProcessJob;
import dev.sailfish.system.inprocess.InProcessJob.Timing;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random jobs give the same output files under Sailfish as under stock Hadoop, byte for byte, and
 * the same files again when everything about the timing is different.
 *
 * <p>One job in six has tens of MiB to shuffle, in small chunks and with little memory: so over a
 * run the external merge has run, and partitions were larger than the merge's memory and had
 * several chunks, which the run checks of itself at its end.
 *
 * <p>Repeat a run with {@code -Dsailfish.seed=N}, one job of it with {@code -Dsailfish.jobs=1} and
 * the job's seed; {@code -Dsailfish.jobs=K} sets how many there are.
 */
class RandomJobTest {
  private static final int JOBS = Integer.getInteger("sailfish.jobs", 150);

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static int lastJob;

  /** By the job's seed. */
  private static final Map<Long, Counters> stockCounters = new ConcurrentHashMap<>();

  /** Jobs with so few records do not get large by longer values. */
  private static final int FEWEST_OF_LARGE = 300;

  private static final int LARGE_BYTES = 16 << 20;
  private static final int LONGEST_BY = 100_000;

  /** From so many jobs on, a run in which no job did it has stopped doing it. */
  private static final int ENOUGH_JOBS = 50;

  private static final AtomicInteger JOBS_DONE = new AtomicInteger();
  private static final AtomicInteger EXTERNAL_MERGES = new AtomicInteger();
  private static final AtomicInteger LARGER_THAN_MEMORY = new AtomicInteger();
  private static final AtomicInteger SEVERAL_CHUNKS = new AtomicInteger();

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
  static void largeMergesShouldHaveRun() {
    System.out.printf(
        "RandomJobTest runs=%d with external merge=%d with partitions larger than the merge's"
            + " memory=%d of several chunks=%d%n",
        JOBS_DONE.get(), EXTERNAL_MERGES.get(), LARGER_THAN_MEMORY.get(), SEVERAL_CHUNKS.get());
    if (JOBS_DONE.get() >= ENOUGH_JOBS) {
      assertThat(EXTERNAL_MERGES.get()).as("jobs with an external merge").isPositive();
      assertThat(LARGER_THAN_MEMORY.get()).as("jobs with large partitions").isPositive();
      assertThat(SEVERAL_CHUNKS.get())
          .as("jobs with large partitions of several chunks")
          .isPositive();
    }
  }

  @TestFactory
  Iterable<DynamicTest> shouldGiveTheOutputOfStock() {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("RandomJobTest seed=" + seed + " jobs=" + JOBS);
    return () ->
        new SplittableRandom(seed)
            .longs(JOBS)
            .map(next -> JOBS == 1 ? seed : next)
            .mapToObj(next -> DynamicTest.dynamicTest("seed " + next, () -> compare(next)))
            .iterator();
  }

  private void compare(long seed) throws Exception {
    RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
    Path work = temporary.resolve(Long.toHexString(seed));
    SortedMap<String, String> stock = stock(spec, work.resolve("stock"));
    SplittableRandom random = new SplittableRandom(seed + 1);
    Timing plain = new Timing(1 + random.nextInt(3), random.nextInt(4) == 0, 0.2);
    assertThat(sailfish(spec, work.resolve("same"), plain, random, false))
        .as("%s %s", spec, plain)
        .isEqualTo(stock);
    if (random.nextInt(4) == 0) {
      SortedMap<String, String> once =
          sailfish(spec, work.resolve("once"), Timing.PLAIN, random, true);
      SortedMap<String, String> again =
          sailfish(spec, work.resolve("again"), new Timing(3, true, 0.3), random, true);
      assertThat(again).as("order of delivery of %s", spec).isEqualTo(once);
    }
  }

  /** By how much the job's values are longer, the same for each shuffle; 0 for most jobs. */
  private static int longerBy(RandomJobSpec spec) {
    SplittableRandom random = new SplittableRandom(spec.seed() + 2);
    int mostRecords = spec.recordsPerMap() * spec.maps();
    boolean large = random.nextInt(6) == 0 && !spec.combined() && mostRecords >= FEWEST_OF_LARGE;
    return large ? Math.min(LONGEST_BY, LARGE_BYTES / mostRecords) : 0;
  }

  private static Job job(RandomJobSpec spec, Path output) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", output.resolveSibling(output.getFileName() + "-tmp").toString());
    Job job = Job.getInstance(conf);
    spec.configure(job);
    conf = (JobConf) job.getConfiguration();
    conf.setInt(RandomJobSpec.LONGER_BY, longerBy(spec));
    conf.set(FileOutputFormat.OUTDIR, output.toUri().toString());
    return job;
  }

  private SortedMap<String, String> stock(RandomJobSpec spec, Path output) throws Exception {
    Job job = job(spec, output);
    job.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    job.getConfiguration().setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    job.getConfiguration().setInt(MRJobConfig.IO_SORT_MB, StockOutput.SORT_MB);
    assertThat(job.waitForCompletion(false)).as("stock ran %s", spec).isTrue();
    stockCounters.put(spec.seed(), new Counters(job.getCounters()));
    return OutputFiles.read(output);
  }

  private SortedMap<String, String> sailfish(
      RandomJobSpec spec, Path output, Timing timing, SplittableRandom random, boolean asTheyCome)
      throws Exception {
    Job job = job(spec, output);
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setBoolean(RandomJobSpec.AS_THEY_COME, asTheyCome);
    boolean large = longerBy(spec) > 0;
    int mergeMb = large ? 1 + random.nextInt(2) : random.nextInt(5);
    conf.set("sailfish.imerger.memory", mergeMb + "m");
    conf.set("sailfish.chunk.size", 1 + random.nextInt(large ? 2 : 8) + "m");
    conf.setBoolean("sailfish.encrypt.at.rest", random.nextInt(3) == 0);
    conf.set("sailfish.iappender.memory", (asTheyCome ? 16 : 8 + random.nextInt(57)) + "m");
    if (!spec.codec().isEmpty()) {
      conf.setBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, true);
      String name = spec.codec();
      conf.set(
          MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC,
          name.equals("LzoCodec")
              ? "dev.sailfish.hadoop.LzoCodec"
              : "org.apache.hadoop.io.compress." + name);
    }
    String id;
    synchronized (RandomJobTest.class) {
      lastJob++;
      id = String.format("job_1700000000000_%04d", lastJob);
    }
    File work = output.resolveSibling(output.getFileName() + "-work").toFile();
    Map<TaskAttemptID, Counters> counters =
        InProcessJob.run(job, daemons.address(), lastJob, work, timing, random.nextLong());
    if (!asTheyCome) {
      JobCounters.check(spec, stockCounters.get(spec.seed()), counters);
    }
    try (MetaserverClient client = daemons.client()) {
      note(counters, client.describeJob(id, -1), mergeMb);
      client.deleteJob(id);
    }
    return OutputFiles.read(output);
  }

  /** Remembers what the merges of a job had to do. */
  private static void note(
      Map<TaskAttemptID, Counters> counters, DescribeJobResponse described, int mergeMb) {
    JOBS_DONE.incrementAndGet();
    boolean external = false;
    boolean larger = false;
    boolean severalChunks = false;
    for (Map.Entry<TaskAttemptID, Counters> entry : counters.entrySet()) {
      if (entry.getKey().getTaskType() == TaskType.REDUCE) {
        int partition = entry.getKey().getTaskID().getId();
        Counters of = entry.getValue();
        external |= of.findCounter(TaskCounter.SPILLED_RECORDS).getValue() > 0;
        long bytes = of.findCounter(TaskCounter.REDUCE_SHUFFLE_BYTES).getValue();
        boolean isLarger = mergeMb > 0 && bytes > (long) mergeMb << 20;
        larger |= isLarger;
        severalChunks |=
            isLarger
                && described.getChunksList().stream()
                        .filter(chunk -> chunk.getPartition() == partition)
                        .count()
                    > 1;
      }
    }
    EXTERNAL_MERGES.addAndGet(external ? 1 : 0);
    LARGER_THAN_MEMORY.addAndGet(larger ? 1 : 0);
    SEVERAL_CHUNKS.addAndGet(severalChunks ? 1 : 0);
  }
}
