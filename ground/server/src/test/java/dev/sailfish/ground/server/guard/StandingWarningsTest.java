package dev.sailfish.ground.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.ManualNanoClock;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandingWarningsTest {
  private final ManualNanoClock clock = new ManualNanoClock();
  private final RecordingLogger log = new RecordingLogger();
  private final StandingWarnings warnings = new StandingWarnings(log, clock::getAsLong);

  @Test
  void isLoggedAtOnceAndThenEachMinuteUntilItIsOver() {
    warnings.raise("a", "it is wrong", "first");
    assertThat(log.take()).containsExactly("WARN it is wrong: first");
    for (int second = 1; second < 60; second++) {
      clock.advanceMs(1_000);
      warnings.raise("a", "it is wrong", "after " + second);
      warnings.repeat();
    }
    assertThat(log.take()).isEmpty();
    clock.advanceMs(1_000);
    warnings.repeat();
    assertThat(log.take()).containsExactly("WARN still so: it is wrong: after 59");
    warnings.repeat();
    assertThat(log.take()).isEmpty();
    clock.advanceMs(60_000);
    warnings.repeat();
    assertThat(log.take()).hasSize(1);
    warnings.clear("a");
    warnings.clear("a");
    assertThat(log.take()).containsExactly("INFO no longer so: it is wrong");
    clock.advanceMs(60_000);
    warnings.repeat();
    assertThat(log.take()).isEmpty();
  }

  @Test
  void anotherSentenceOfTheSameTopicIsLoggedAtOnce() {
    warnings.raise("a", "one server", "");
    warnings.raise("a", "two servers", "");
    assertThat(log.take()).containsExactly("WARN one server", "WARN two servers");
    assertThat(warnings.count()).isEqualTo(1);
  }

  @Test
  void pagesTellWhatIsWrongNow() {
    assertThat(warnings.texts()).isEmpty();
    warnings.raise("b", "worse", "");
    warnings.raise("a", "bad", "really");
    assertThat(warnings.texts())
        .containsExactly(Map.entry("a", "bad: really"), Map.entry("b", "worse"));
    assertThat(warnings.count()).isEqualTo(2);
    warnings.clear("b");
    assertThat(warnings.texts()).containsOnlyKeys("a");
  }
}
