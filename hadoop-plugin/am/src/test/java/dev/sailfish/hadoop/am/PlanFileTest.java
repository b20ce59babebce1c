package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanFileTest {
  private static final ReducePlan PLAN = ReducePlan.fixed(3, "for a test");

  @TempDir File staging;

  private PlanFile file() {
    return new PlanFile(new Path(staging.toURI()), new Configuration());
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
  void shouldSayThatAPlanIsDamaged() throws IOException {
    Files.write(staging.toPath().resolve(PlanFile.NAME), new byte[9]);
    assertThatThrownBy(() -> file().load())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PlanFile.NAME + ": plan is damaged");
  }
}
