package dev.sailfish.benchmarks.jobs.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverMetric;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadingTest {
  private static Reading reading(double cpuSeconds, long reads) {
    return new Reading(cpuSeconds, Map.of(ChunkserverMetric.READS, reads));
  }

  @Test
  void whatCameBetweenTwoReadingsIsTheirDifference() {
    assertThat(reading(7.5, 100).since(reading(3, 40))).isEqualTo(reading(4.5, 60));
  }

  @Test
  void daemonsAreSummedUpAlsoThoseThatCountNothing() {
    Reading hadoop = new Reading(2, Map.of());
    assertThat(Reading.sum(List.of(reading(1, 10), hadoop, reading(0.5, 5))))
        .isEqualTo(reading(3.5, 15));
  }
}
