package dev.sailfish.workflow.step.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.workflow.kept.KeptIfiles.Kept;
import dev.sailfish.workflow.step.StepRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class JobChangesTest {
  private static final Path STAGING = new Path("hdfs://h/staging/u/.staging/job_2_1");
  private static final Recipe RECIPE =
      Recipe.newBuilder()
          .setQueue("first")
          .setMapReduce(MapReduceJob.newBuilder().setJob("job_1_1"))
          .build();

  private final Configuration job = new Configuration(false);
  private final Configuration cluster = new Configuration(false);

  private void change(String queue, int tasks) {
    StepRequest request =
        new StepRequest(
            DependencyRecord.getDefaultInstance(),
            List.of(DependencyOutput.getDefaultInstance()),
            queue,
            3,
            Set.of("tag"),
            tasks);
    JobChanges.apply(job, cluster, request, RECIPE, "u", STAGING);
  }

  @Test
  void theProgramsAreToldWhatTheyWereToldFirst() {
    job.set("my.key", "value");
    job.set("mapreduce.job.reduces", "3");
    job.set("mapreduce.job.output.value.class", "X");
    change("", 0);
    assertThat(job.get("my.key")).isEqualTo("value");
    assertThat(job.getInt("mapreduce.job.reduces", 0)).isEqualTo(3);
    assertThat(job.get("mapreduce.job.output.value.class")).isEqualTo("X");
    assertThat(job.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT)).isNull();
  }

  @Test
  void whatIsOfOneRunIsNotTakenAlong() {
    job.set("mapreduce.job.end-notification.url", "http://x");
    job.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_1_1_m_0_0");
    job.set(MRJobConfig.PRESERVE_FILES_PATTERN, ".*");
    job.set(MRJobConfig.MAP_SPECULATIVE, "true");
    change("", 0);
    assertThat(job.get("mapreduce.job.end-notification.url")).isNull();
    assertThat(job.get(MRJobConfig.TASK_ATTEMPT_ID)).isNull();
    assertThat(job.get(MRJobConfig.PRESERVE_FILES_PATTERN)).isNull();
    assertThat(job.getBoolean(MRJobConfig.MAP_SPECULATIVE, true)).isFalse();
    assertThat(job.get(MRJobConfig.MAPREDUCE_JOB_DIR)).isEqualTo(STAGING.toString());
    assertThat(job.get(MRJobConfig.USER_NAME)).isEqualTo("u");
  }

  @Test
  void runsWhereTheRequestSays() {
    change("second", 5);
    assertThat(job.get(MRJobConfig.QUEUE_NAME)).isEqualTo("second");
    assertThat(job.get(MRJobConfig.PRIORITY)).isEqualTo("3");
    assertThat(job.get(MRJobConfig.JOB_TAGS)).isEqualTo("tag");
    assertThat(job.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT)).isEqualTo("5");
    assertThat(job.get(MRJobConfig.JOB_RUNNING_REDUCE_LIMIT)).isEqualTo("5");
    change("", 0);
    assertThat(job.get(MRJobConfig.QUEUE_NAME)).isEqualTo("first");
  }

  @Test
  void servicesAreWhereTheClusterSays() {
    job.set("yarn.resourcemanager.address", "old:1");
    job.set("yarn.app.mapreduce.am.resource.mb", "512");
    job.set(MRJobConfig.MR_AM_STAGING_DIR, "/old");
    cluster.set("yarn.resourcemanager.address", "new:1");
    cluster.set("yarn.app.mapreduce.am.resource.mb", "1024");
    cluster.set(MRJobConfig.MR_AM_STAGING_DIR, "/new");
    cluster.set("my.key", "other");
    change("", 0);
    assertThat(job.get("yarn.resourcemanager.address")).isEqualTo("new:1");
    assertThat(job.get("yarn.app.mapreduce.am.resource.mb")).isEqualTo("512");
    assertThat(job.get(MRJobConfig.MR_AM_STAGING_DIR)).isEqualTo("/new");
    assertThat(job.get("my.key")).isNull();
  }

  @Test
  void connectionsAreMadeAsTheClusterSays() {
    job.set("ipc.client.connect.max.retries", "1000000");
    job.set("ipc.ping.interval", "1");
    job.set("yarn.client.failover-max-attempts", "1000000");
    job.set("yarn.app.mapreduce.client.max-retries", "1000000");
    job.set("yarn.app.mapreduce.am.resource.mb", "512");
    cluster.set("ipc.client.connect.max.retries", "3");
    JobChanges.connect(job, cluster);
    assertThat(job.get("ipc.client.connect.max.retries")).isEqualTo("3");
    assertThat(job.get("ipc.ping.interval")).isNull();
    assertThat(job.get("yarn.client.failover-max-attempts")).isNull();
    assertThat(job.get("yarn.app.mapreduce.client.max-retries")).isNull();
    assertThat(job.get("yarn.app.mapreduce.am.resource.mb")).isEqualTo("512");
  }

  @Test
  void theApplicationMasterIsSailfishs() {
    change("", 0);
    assertThat(job.get(MRJobConfig.MR_AM_COMMAND_OPTS))
        .isEqualTo("-Xmx1024m <ADD_OPENS> " + JobChanges.MASTER);
    String own = "-Xmx2g <ADD_OPENS> " + JobChanges.MASTER;
    job.set(MRJobConfig.MR_AM_COMMAND_OPTS, own);
    change("", 0);
    assertThat(job.get(MRJobConfig.MR_AM_COMMAND_OPTS)).isEqualTo(own);
    job.set(MRJobConfig.MR_AM_COMMAND_OPTS, "-Xmx3g");
    cluster.set(MRJobConfig.MR_AM_COMMAND_OPTS, own);
    change("", 0);
    assertThat(job.get(MRJobConfig.MR_AM_COMMAND_OPTS)).isEqualTo(own);
  }

  @Test
  void keptIfilesAreReadInAFurtherAttemptOfMaps() {
    job.set("sailfish.keep.ifiles.until.checkpointed", "true");
    job.set(MRJobConfig.REDUCE_MAX_ATTEMPTS, "1");
    change("", 0);
    assertThat(job.get("sailfish.keep.ifiles.until.checkpointed")).isNull();
    assertThat(job.get("sailfish.reduce.kept.job")).isNull();
    JobChanges.read(new Kept("job_1_1~ab", Optional.empty()), job);
    assertThat(job.get("sailfish.reduce.kept.job")).isEqualTo("job_1_1~ab");
    assertThat(job.getInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 0)).isEqualTo(2);
    change("", 0);
    assertThat(job.get("sailfish.reduce.kept.job")).isNull();
  }
}
