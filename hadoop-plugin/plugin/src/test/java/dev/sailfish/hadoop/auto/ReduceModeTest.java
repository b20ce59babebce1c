package dev.sailfish.hadoop.auto;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReduceModeTest {
  /** As the ApplicationMaster has it: read from the file that the job's client has written. */
  private static ReduceMode modeOf(JobConf job) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try {
      job.writeXml(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Configuration read = new Configuration(false);
    read.addResource(new ByteArrayInputStream(file.toByteArray()), "job.xml");
    return ReduceMode.of(new JobConf(read));
  }

  private static JobConf auto() {
    JobConf job = new JobConf();
    job.set("sailfish.reduce.work", "auto");
    return job;
  }

  @Test
  void shouldBeFixedForWhoAsksForNothing() {
    ReduceMode mode = modeOf(new JobConf());
    assertThat(mode.auto()).isFalse();
    assertThat(mode.why()).isEqualTo("fixed: as many reduce tasks as the job asks for");
  }

  @Test
  void shouldBeAutoForWhoAsksForIt() {
    JobConf job = auto();
    job.setNumReduceTasks(4);
    assertThat(modeOf(job).auto()).isTrue();
    assertThat(modeOf(job).why()).isEqualTo("auto (sailfish.reduce.work=auto): the data decides");
  }

  @Test
  void shouldBeAutoInAQueueThatHasIt() {
    JobConf job = new JobConf();
    job.setNumReduceTasks(4);
    job.set("sailfish.reduce.work.auto.queues", "nightly, adhoc");
    assertThat(modeOf(job).auto()).isFalse();
    job.setQueueName("adhoc");
    assertThat(modeOf(job).why()).isEqualTo("auto (queue adhoc): the data decides");
    job.set("sailfish.reduce.work", "fixed");
    assertThat(modeOf(job).auto()).isFalse();
  }

  @Test
  void shouldSplitTheOnePartitionThatIsHadoopsDefault() {
    assertThat(modeOf(auto()).auto()).isTrue();
  }

  @Test
  void shouldRefuseWhereTheJobAsksForOneOutput() {
    JobConf job = auto();
    job.setNumReduceTasks(1);
    assertThat(modeOf(job).auto()).isFalse();
    assertThat(modeOf(job).why()).contains("sailfish.reduce.work=auto").contains("for one output");
  }

  @ParameterizedTest
  @CsvSource({
    "hive.query.id,q1,bucket",
    "pig.info.reducers.requested.parallel,4,PARALLEL 4",
    "pig.info.reducers.default.parallel,7,default_parallel 7",
    "mapreduce.job.partitioner.class,org.apache.pig.backend.SkewedPartitioner,skewed join",
    "mapred.partitioner.class,org.apache.pig.backend.SkewedPartitioner,skewed join",
    "mapreduce.job.outputformat.class,org.apache.hadoop.mapreduce.lib.output.MapFileOutputFormat,"
        + "map files",
    "mapred.output.format.class,org.apache.hadoop.mapred.MapFileOutputFormat,map files",
  })
  void shouldRefuseWhatDependsOnTheNumber(String key, String value, String reason) {
    JobConf job = auto();
    job.setNumReduceTasks(4);
    job.set(key, value);
    assertThat(modeOf(job).auto()).isFalse();
    assertThat(modeOf(job).why()).startsWith("fixed, although auto is asked for").contains(reason);
  }

  @Test
  void shouldNotTakeAnEstimateOfPigForAWish() {
    JobConf job = auto();
    job.setNumReduceTasks(4);
    job.setInt("pig.info.reducers.requested.parallel", -1);
    job.setInt("pig.info.reducers.default.parallel", -1);
    job.setInt("pig.info.reducers.estimated.parallel", 4);
    assertThat(modeOf(job).auto()).isTrue();
  }
}
