package dev.sailfish.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@Seeded
class SeededTest {

  private Seed seedOfBeforeEach;

  @BeforeEach
  void keepSeed(Seed seed) {
    seedOfBeforeEach = seed;
  }

  @Test
  void allParametersOfOneTestStartAtTheSameSeed(
      Seed seed, SplittableRandom splittable, Random random) {
    assertThat(seed).isEqualTo(seedOfBeforeEach);
    assertThat(splittable.nextLong()).isEqualTo(seed.splittable().nextLong());
    assertThat(random.nextLong()).isEqualTo(seed.random().nextLong());
  }

  @RepeatedTest(3)
  void derivedSeedsDependOnTheNameAlone(Seed seed) {
    assertThat(seed.derive("appender-1")).isEqualTo(seed.derive("appender-1"));
    assertThat(seed.derive("appender-1")).isNotEqualTo(seed.derive("appender-2"));
    assertThat(seed.derive("appender-1")).isNotEqualTo(seed);
  }
}
