package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.inprocess.InProcessJob.Timing;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a job asks for encryption, through the collector and the consumer. */
class JobEncryptionTest {
  private static final String ASK = "sailfish.encrypt.at.rest";

  @TempDir Path temporary;

  private Job job(String name, Map<String, String> settings) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve(name + "-tmp").toString());
    Job job = Job.getInstance(conf);
    RandomJobSpec.ofSeed(12).configure(job);
    settings.forEach(job.getConfiguration()::set);
    job.getConfiguration().set(FileOutputFormat.OUTDIR, output(name).toUri().toString());
    return job;
  }

  private Path output(String name) {
    return temporary.resolve(name);
  }

  /** Runs a job and tells whether the metaserver has it encrypted. */
  private boolean run(SailfishDaemons daemons, int number, Map<String, String> settings)
      throws Exception {
    String name = "job" + number;
    Job job = job(name, settings);
    Path work = temporary.resolve(name + "-work");
    InProcessJob.run(job, daemons.address(), number, work.toFile(), Timing.PLAIN, 1);
    try (MetaserverClient client = daemons.client()) {
      return client
          .describeJob(String.format("job_1700000000000_%04d", number), -1)
          .getSummary()
          .getEncrypted();
    }
  }

  @Test
  void hadoopsKeyShouldCountWhenOursSaysNothing() throws Exception {
    String hadoops = MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA;
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      assertThat(run(daemons, 1, Map.of())).isFalse();
      assertThat(run(daemons, 2, Map.of(ASK, "true"))).isTrue();
      assertThat(run(daemons, 3, Map.of(hadoops, "true"))).isTrue();
      assertThat(run(daemons, 4, Map.of(hadoops, "true", ASK, "false"))).isFalse();
    }
    assertThat(OutputFiles.read(output("job1"))).isNotEmpty();
    for (int number = 2; number <= 4; number++) {
      assertThat(OutputFiles.read(output("job" + number)))
          .isEqualTo(OutputFiles.read(output("job1")));
    }
  }

  @Test
  void withoutAKeyItShouldBeRefused() throws Exception {
    try (SailfishDaemons daemons = SailfishDaemons.startOpen(temporary, 1, Map.of())) {
      assertThatThrownBy(
              () -> run(daemons, 1, Map.of(ASK, "true", "sailfish.authentication", "none")))
          .hasStackTraceContaining("sailfish.authentication=none says that the job has no key")
          .hasStackTraceContaining("map output is to be encrypted with it (" + ASK + "=true)");
      assertThatThrownBy(() -> run(daemons, 2, Map.of(ASK, "yes")))
          .hasStackTraceContaining(ASK + "=yes must be true or false");
    }
  }

  @Test
  void localJobsThatOnlyHadoopCouldEncryptShouldBeRefused() throws Exception {
    assertThat(runLocally("local1", Map.of())).isTrue();
    assertThat(runLocally("local2", Map.of(ASK, "true"))).isFalse();
    assertThat(
            runLocally(
                "local3", Map.of(ASK, "true", MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, "true")))
        .isTrue();
  }

  private boolean runLocally(String name, Map<String, String> settings) throws Exception {
    Job job = job(name, settings);
    job.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    job.getConfiguration().setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    job.getConfiguration()
        .setClass(
            MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
            SailfishMapOutputCollector.class,
            Object.class);
    return job.waitForCompletion(false);
  }
}
