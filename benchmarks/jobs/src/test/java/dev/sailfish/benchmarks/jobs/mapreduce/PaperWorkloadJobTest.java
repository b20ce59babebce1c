package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The paper's jobs as whole jobs, in this JVM and by Hadoop's runner of local jobs. */
@Seeded
class PaperWorkloadJobTest {
  /** Not deleted here: the runner does that itself, after it has said that a job has ended. */
  private static final Path DIRECTORY = Path.of("target", "paper-jobs").toAbsolutePath();

  private static final double SCALE = 0.004;
  private static final double MB = 1e6;

  /** Intermediate data in the paper's table 3, divided by input. */
  private static final Map<PaperJob, Double> GROWTH =
      Map.of(
          PaperJob.LOG_COUNT, 1.0 / 27,
          PaperJob.LOG_PROC, 1.0,
          PaperJob.LOG_READ, 1.0,
          PaperJob.NDAY_MODEL, 1.0,
          PaperJob.BEHAVIOR_MODEL, 2.63,
          PaperJob.CLICK_ATTRIBUTION, 1.21,
          PaperJob.SEGMENT_EXPLODER, 1.79);

  private static Job job(PaperJob kind, long seed) throws IOException {
    Configuration configuration = new Configuration();
    configuration.set("mapreduce.framework.name", "local");
    configuration.set("hadoop.tmp.dir", DIRECTORY.toString());
    configuration.set("mapreduce.task.io.sort.mb", "16");
    configuration.set("mapreduce.client.completion.pollinterval", "20");
    return PaperWorkloadJob.job(configuration, kind, SCALE, seed);
  }

  private static long value(Counters counters, Enum<?> counter) {
    return counters.findCounter(counter).getValue();
  }

  @ParameterizedTest
  @EnumSource(PaperJob.class)
  void resultsAreRightAndIntermediateDataIsInThePapersRatio(PaperJob kind, Seed seed)
      throws Exception {
    Job job = job(kind, seed.value());
    assertThat(job.waitForCompletion(false)).isTrue();
    assertThat(PaperWorkloadJob.isRight(job)).isTrue();
    Counters counters = job.getCounters();
    assertThat(value(counters, Check.RESULT_RECORDS)).isPositive();
    double shuffled = value(counters, TaskCounter.REDUCE_SHUFFLE_BYTES) / MB;
    double input =
        kind.source(SCALE, seed.value()).records()
            * (double) kind.source(SCALE, seed.value()).longest()
            / MB;
    if (kind == PaperJob.NDAY_MODEL) {
      input = kind.inputMb(1) * SCALE; // its lines are of two lengths
    }
    double growth = GROWTH.get(kind);
    assertThat(shuffled / input).as("growth").isCloseTo(growth, within(0.06 * growth));
  }

  @Test
  void aResultFollowsFromTheSeedAlone(Seed seed) throws Exception {
    long sum = resultSum(seed.value());
    assertThat(resultSum(seed.value())).isEqualTo(sum);
    assertThat(resultSum(seed.value() + 1)).isNotEqualTo(sum);
  }

  private static long resultSum(long seed) throws Exception {
    Job job = job(PaperJob.LOG_PROC, seed);
    assertThat(job.waitForCompletion(false)).isTrue();
    return value(job.getCounters(), Check.RESULT_HASH_SUM);
  }

  @Test
  void threePartitionsOfLogReadHaveNineTimesTheData(Seed seed) throws Exception {
    Job job = job(PaperJob.LOG_READ, seed.value());
    assertThat(job.waitForCompletion(false)).isTrue();
    List<Long> bytes =
        IntStream.range(0, PaperJob.LOG_READ.reduces())
            .mapToObj(i -> partitionCounter(job, PaperJob.BYTES_OF_PARTITION + i))
            .toList();
    double light = bytes.subList(3, 8).stream().mapToLong(Long::longValue).average().orElseThrow();
    double heavy = bytes.subList(0, 3).stream().mapToLong(Long::longValue).average().orElseThrow();
    assertThat(heavy / light).isCloseTo(9, within(2.0)); // 275 users are few
    assertThat(partitionCounter(job, PaperJob.TASKS_OF_PARTITION + 0)).isEqualTo(1);
  }

  private static long partitionCounter(Job job, String name) {
    try {
      return job.getCounters().getGroup("Partitions").findCounter(name).getValue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Loses the last value of each group. */
  public static final class LossyCombiner extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text key, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      Text held = null;
      for (Text value : values) {
        if (held != null) {
          context.write(key, held);
        }
        held = new Text(value);
      }
    }
  }

  @Test
  void aLostRecordIsSeen(Seed seed) throws Exception {
    Job job = job(PaperJob.CLICK_ATTRIBUTION, seed.value());
    job.setCombinerClass(LossyCombiner.class);
    assertThat(job.waitForCompletion(false)).isTrue();
    assertThat(PaperWorkloadJob.isRight(job)).isFalse();
  }

  /** Makes another byte of each value. */
  public static final class DamagingCombiner extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text key, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      for (Text value : values) {
        value.getBytes()[value.getLength() - 1] ^= 1;
        context.write(key, value);
      }
    }
  }

  @Test
  void aDamagedRecordIsSeen(Seed seed) throws Exception {
    Job job = job(PaperJob.BEHAVIOR_MODEL, seed.value());
    job.setCombinerClass(DamagingCombiner.class);
    assertThat(job.waitForCompletion(false)).isTrue();
    assertThat(PaperWorkloadJob.isRight(job)).isFalse();
  }
}
