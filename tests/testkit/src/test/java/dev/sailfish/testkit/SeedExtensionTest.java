package dev.sailfish.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventType;

/** Runs failing tests inside this test and looks at what they report. */
class SeedExtensionTest {

  @Test
  void failureCarriesTheSeed() {
    Throwable failure = run(Failing.class).get(0);
    assertThat(failure).hasMessageStartingWith("drawn=");
    String drawn = failure.getMessage().substring("drawn=".length());
    assertThat(failure.getSuppressed())
        .singleElement()
        .satisfies(
            seed ->
                assertThat(seed)
                    .hasMessageContaining("seed=" + drawn)
                    .hasMessageContaining("-Dsailfish.seed=" + drawn));
  }

  @Test
  void failureOfATestWithoutRandomnessCarriesNothing() {
    Throwable failure = run(FailingWithoutDrawing.class).get(0);
    assertThat(failure.getSuppressed()).isEmpty();
  }

  @Test
  void aSeedThatIsNoNumberIsRefused() {
    String before = System.getProperty(Seed.PROPERTY);
    System.setProperty(Seed.PROPERTY, "seven");
    try {
      assertThat(run(Failing.class).get(0)).rootCause().hasMessageContaining("seven");
    } finally {
      restore(before);
    }
  }

  @Test
  void thePropertyFixesTheSeed() {
    String before = System.getProperty(Seed.PROPERTY);
    System.setProperty(Seed.PROPERTY, "-7");
    try {
      assertThat(run(Failing.class).get(0)).hasMessage("drawn=-7");
    } finally {
      restore(before);
    }
  }

  private static void restore(String before) {
    if (before == null) {
      System.clearProperty(Seed.PROPERTY);
    } else {
      System.setProperty(Seed.PROPERTY, before);
    }
  }

  private static List<Throwable> run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .execute()
        .testEvents()
        .filter(event -> event.getType() == EventType.FINISHED)
        .map(
            event ->
                event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow())
        .toList();
  }

  @Seeded
  static class Failing {
    @Test
    void fails(Seed seed) {
      throw new IllegalStateException("drawn=" + seed.value());
    }
  }

  @Seeded
  static class FailingWithoutDrawing {
    @Test
    void fails() {
      throw new IllegalStateException("as it should");
    }
  }
}
