package dev.sailfish.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.client.RunningJob;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressTextTest {
  private static final RunningJob MAPPING = new RunningJob("job_1_1", 3, 8, 0, 4, "", 0);

  @Test
  void mapsComeWithWhatTheyHaveAppended() {
    assertThat(ProgressText.line(MAPPING, Optional.of(new IfileFigures(1 << 20, 9, 5))))
        .isEqualTo("job_1_1: maps 3/8, 1.0 MiB appended, chunks sorted 5/9, reduces 0/4");
  }

  @Test
  void chunksThatAreTooManyAreOnlyCounted() {
    assertThat(ProgressText.line(MAPPING, Optional.of(new IfileFigures(1 << 20, 9000, -1))))
        .isEqualTo("job_1_1: maps 3/8, 1.0 MiB appended, 9000 chunks, reduces 0/4");
  }

  @Test
  void aMetaserverThatCannotBeAskedIsLeftOut() {
    RunningJob reducing = new RunningJob("job_1_1", 8, 8, 1, 4, "Reduce work: x", 5 << 20);
    assertThat(ProgressText.line(reducing, Optional.empty()))
        .isEqualTo("job_1_1: maps 8/8, reduces 1/4, 5.0 MiB read by reduces");
  }
}
