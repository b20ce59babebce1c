package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
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
