package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;

/** The synthetic job as a whole job, in this JVM and by Hadoop's runner of local jobs. */
@Seeded
class PartitionedSortJobTest {
  /** Not deleted here: the runner does that itself, after it has said that a job has ended. */
  private static final Path DIRECTORY = Path.of("target", "sort-jobs").toAbsolutePath();

  private static int run(String arguments) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set("mapreduce.framework.name", "local");
    configuration.set("hadoop.tmp.dir", DIRECTORY.toString());
    configuration.set("mapreduce.task.io.sort.mb", "16");
    configuration.set("mapreduce.client.completion.pollinterval", "20");
    return ToolRunner.run(configuration, new PartitionedSortJob(), arguments.split(" "));
  }

  @Test
  void whatMapsMakeIsWhatReducesSee(Seed seed) throws Exception {
    assertThat(run("30000 3 4 " + seed.value() + " 0")).isZero();
    assertThat(run("10001 2 3 " + seed.value() + " 1 comparator")).isZero();
  }

  @Test
  void ownWorkHasAsManyRecordsAndTheSameChecks(Seed seed) throws Exception {
    assertThat(run("30001 3 4 " + seed.value() + " 0 own-work")).isZero();
    assertThat(run("10001 2 3 " + seed.value() + " 1 comparator own-work")).isZero();
    assertThat(run("0 1 2 " + seed.value() + " 0 own-work")).isZero();
  }

  @Test
  void otherWordsAreRefused() throws Exception {
    assertThat(run("1 1 1 1")).isEqualTo(2);
    assertThat(run("1 1 1 1 0 sorted")).isEqualTo(2);
  }
}
