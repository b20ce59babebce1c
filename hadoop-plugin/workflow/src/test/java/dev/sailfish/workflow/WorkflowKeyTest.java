package dev.sailfish.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.workflow.recovery.RecoverySettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WorkflowKeyTest {
  private static RecoverySettings recovery(Map<String, String> values) {
    return WorkflowKey.recovery(
        Settings.of(
            values.entrySet().stream()
                .collect(
                    Collectors.toMap(
                        one -> WorkflowKey.ALL.prefix() + one.getKey(), Map.Entry::getValue))));
  }

  private static long s(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  @Test
  void defaults() {
    assertThat(recovery(Map.of()))
        .isEqualTo(
            new RecoverySettings(
                "sailfish",
                RecoveryModel.PROACTIVE,
                new TemporaryFiles(List.of()),
                new Backoff(4, s(5), s(120)),
                4,
                "",
                new RecoverySettings.Waits(s(30), s(60))));
  }

  @Test
  void allThatIsSet() {
    assertThat(
            recovery(
                Map.of(
                    "name", "b",
                    "recovery", "reactive",
                    "temporary", "/tmp,/a/b",
                    "steps", "7",
                    "attempts", "2",
                    "retry.first", "1s",
                    "retry.longest", "2s",
                    "unrecoverable.wait", "3s",
                    "starved", "4s",
                    "queue", "q")))
        .isEqualTo(
            new RecoverySettings(
                "b",
                RecoveryModel.REACTIVE,
                new TemporaryFiles(List.of("/tmp", "/a/b")),
                new Backoff(2, s(1), s(2)),
                7,
                "q",
                new RecoverySettings.Waits(s(4), s(3))));
  }

  @Test
  void whatIsWrongIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recovery(Map.of("name", "My Store")))
        .withMessageContaining("sailfish.workflow.name=My Store must be");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recovery(Map.of("temporary", "a/tmp")))
        .withMessageContaining("sailfish.workflow.temporary=a/tmp is wrong");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recovery(Map.of("retry.first", "10min")))
        .withMessageContaining("must not be above sailfish.workflow.retry.longest");
  }
}
