package dev.sailfish.hadoop.am.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.am.launch.JobSize.Jvms;
import org.junit.jupiter.api.Test;

class JobSizeTest {
  private static final JobSize SIZE = new JobSize(800, 8, 400, 2);

  @Test
  void coldJvmSeesWhatItsTaskSees() {
    assertThat(SIZE.bytesPerJvm(true, Jvms.COLD)).isEqualTo(100);
    assertThat(SIZE.bytesPerJvm(false, Jvms.COLD)).isEqualTo(200);
  }

  @Test
  void warmJvmsOfBothKindsShareAll() {
    assertThat(SIZE.bytesPerJvm(true, new Jvms(4, true))).isEqualTo(300);
    assertThat(SIZE.bytesPerJvm(false, new Jvms(4, true))).isEqualTo(300);
  }

  @Test
  void warmJvmsOfOneKindShareItsBytes() {
    assertThat(SIZE.bytesPerJvm(true, new Jvms(4, false))).isEqualTo(200);
    assertThat(SIZE.bytesPerJvm(false, new Jvms(1, false))).isEqualTo(400);
  }

  @Test
  void thereAreNoMoreJvmsThanTasks() {
    assertThat(SIZE.bytesPerJvm(true, new Jvms(100, true))).isEqualTo(150);
    assertThat(SIZE.bytesPerJvm(false, new Jvms(100, false))).isEqualTo(200);
  }

  @Test
  void jobWithoutReducesHasItsMapsOnly() {
    assertThat(new JobSize(800, 8, 0, 0).bytesPerJvm(true, new Jvms(2, true))).isEqualTo(400);
  }

  @Test
  void inputThatNobodyKnowsMayBeAnything() {
    assertThat(new JobSize(0, 8, 0, 2).bytesPerJvm(true, Jvms.COLD)).isEqualTo(JobSize.UNKNOWN);
  }
}
