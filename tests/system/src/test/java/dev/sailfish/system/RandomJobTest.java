package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.InProcessJob.Timing;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
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
 * <p>Repeat a run with {@code -Dsailfish.seed=N}, one job of it with {@code -Dsailfish.jobs=1} and
 * the job's seed; {@code -Dsailfish.jobs=K} sets how many there are.
 */
class RandomJobTest {
  private static final int JOBS = Integer.getInteger("sailfish.jobs", 200);

  @TempDir static Path temporary;
  private static SailfishDaemons daemons;
  private static int lastJob;

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

  private static Job job(RandomJobSpec spec, Path output) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", output.resolveSibling(output.getFileName() + "-tmp").toString());
    Job job = Job.getInstance(conf);
    spec.configure(job);
    conf = (JobConf) job.getConfiguration();
    conf.set(FileOutputFormat.OUTDIR, output.toUri().toString());
    return job;
  }

  private SortedMap<String, String> stock(RandomJobSpec spec, Path output) throws Exception {
    Job job = job(spec, output);
    job.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    job.getConfiguration().setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    assertThat(job.waitForCompletion(false)).as("stock ran %s", spec).isTrue();
    return OutputFiles.read(output);
  }

  private SortedMap<String, String> sailfish(
      RandomJobSpec spec, Path output, Timing timing, SplittableRandom random, boolean asTheyCome)
      throws Exception {
    Job job = job(spec, output);
    JobConf conf = (JobConf) job.getConfiguration();
    conf.setBoolean(RandomJobSpec.AS_THEY_COME, asTheyCome);
    conf.setInt("sailfish.chunk.mb", 1 + random.nextInt(8));
    conf.setBoolean("sailfish.encrypt.at.rest", random.nextInt(3) == 0);
    conf.setInt("sailfish.iappender.memory.mb", asTheyCome ? 16 : 8 + random.nextInt(57));
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
    InProcessJob.run(job, daemons.address(), lastJob, work, timing, random.nextLong());
    try (MetaserverClient client = daemons.client()) {
      client.deleteJob(id);
    }
    return OutputFiles.read(output);
  }
}
