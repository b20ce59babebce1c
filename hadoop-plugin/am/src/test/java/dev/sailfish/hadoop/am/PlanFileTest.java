package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanFileTest {
  private static final ReducePlan PLAN = ReducePlan.fixed(3, "for a test");

  @TempDir File staging;

  private PlanFile file() {
    return PlanFile.in(new Path(staging.toString()), new Configuration());
  }

  @Test
  void shouldGiveBackWhatAnotherAttemptHasStored() throws IOException {
    assertThat(file().load()).isNull();
    file().store(PLAN);
    assertThat(file().load()).isEqualTo(PLAN);
  }

  /** As an attempt that was taken for dead, and is not. */
  @Test
  void shouldGiveBackWhatAnotherAttemptHasStoredMeanwhile() throws IOException {
    ReducePlan late = ReducePlan.fixed(5, "too late");
    assertThat(file().store(PLAN)).isEqualTo(PLAN);
    assertThat(file().store(late)).isEqualTo(PLAN);
    assertThat(file().load()).isEqualTo(PLAN);
    assertThat(staging).isDirectoryNotContaining("glob:**being-written");
  }

  /** Numbers of works mean something to reduce tasks that are done, and to nobody else. */
  @Test
  void shouldGoOnWithAnEarlierPlanOnlyWhereAReduceTaskOfItIsDone() throws IOException {
    JobId job = MRBuilderUtils.newJobId(ApplicationId.newInstance(1, 1), 1);
    TaskId map = MRBuilderUtils.newTaskId(job, 0, TaskType.MAP);
    TaskId reduce = MRBuilderUtils.newTaskId(job, 0, TaskType.REDUCE);
    file().store(PLAN);
    file().removeUnlessUsed(Map.of(map, "", reduce, ""));
    assertThat(file().load()).isEqualTo(PLAN);
    file().removeUnlessUsed(Map.of(map, ""));
    assertThat(file().load()).isNull();
    file().store(PLAN);
    file().removeUnlessUsed(null);
    assertThat(file().load()).isNull();
    file().removeUnlessUsed(null);
  }

  /** By it lost files are made again: task N of the record is task N of the job. */
  @Test
  void shouldGoOnWithAnEarlierPlanThatTheJobsRecordHas() throws IOException {
    file().store(PLAN);
    Files.createFile(staging.toPath().resolve(ProgramName.STAGED_CLAIM));
    file().removeUnlessUsed(null);
    assertThat(file().load()).isEqualTo(PLAN);
  }

  @Test
  void shouldNotTakeAPlanThatWasBeingWritten() throws IOException {
    Files.write(staging.toPath().resolve(PlanFile.NAME + "-being-written"), new byte[5]);
    assertThat(file().load()).isNull();
    file().store(PLAN);
    assertThat(file().load()).isEqualTo(PLAN);
  }

  @Test
  void shouldKeepACopyOnlyWhereItIsAskedForAndForNobodyElse() throws IOException {
    JobConf conf = new JobConf(false);
    assertThat(PlanFile.copy("job_1_0001", conf)).isNull();
    conf.set("sailfish.reduce.work.plans", staging + "/plans");
    PlanFile.copy("job_1_0001", conf).store(PLAN);
    assertThat(PlanFile.copy("job_1_0001", conf).load()).isEqualTo(PLAN);
    assertThat(PlanFile.copy("job_1_0002", conf).load()).isNull();
    assertThat(Files.getPosixFilePermissions(staging.toPath().resolve("plans/job_1_0001.plan")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  /** The staging directory counts; the copy is what is left when it is gone. */
  @Test
  void shouldBeFoundWhileTheJobRunsAndAfterwards() throws IOException {
    JobConf conf = new JobConf();
    conf.set("yarn.app.mapreduce.am.staging-dir", staging.toString());
    assertThatThrownBy(() -> PlanExport.find("job_1_0001", conf))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("no plan of job_1_0001")
        .hasMessageContaining("sailfish.reduce.work.plans names");
    conf.set("sailfish.reduce.work.plans", staging + "/plans");
    PlanFile.copy("job_1_0001", conf).store(PLAN);
    assertThat(PlanExport.find("job_1_0001", conf)).isEqualTo(PLAN);
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    ReducePlan used = ReducePlan.fixed(5, "the one that counts");
    Path job = new Path(MRApps.getStagingAreaDir(conf, user), "job_1_0001");
    PlanFile.in(job, conf).store(used);
    assertThat(PlanExport.find("job_1_0001", conf)).isEqualTo(used);
    assertThatThrownBy(() -> PlanExport.find("../job_1_0001", conf))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldSayThatAPlanIsDamaged() throws IOException {
    Files.write(staging.toPath().resolve(PlanFile.NAME), new byte[9]);
    assertThatThrownBy(() -> file().load())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PlanFile.NAME + ": plan is damaged");
  }
}
