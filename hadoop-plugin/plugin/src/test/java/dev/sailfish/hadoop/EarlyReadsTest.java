package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reducers that wait for maps ask the metaserver for what is sorted, each for all winners. */
class EarlyReadsTest {
  private static final long POLL_NS = 500_000_000L;

  /** How often one reducer asks while maps end all the time. */
  private static int asks(long seconds) {
    int asks = 0;
    long nextNs = 0;
    for (long nowNs = 0; nowNs < TimeUnit.SECONDS.toNanos(seconds); nowNs += POLL_NS) {
      if (nowNs >= nextNs) {
        asks++;
        nextNs = nowNs + IfileShuffleConsumer.earlyPauseNs(nowNs);
      }
    }
    return asks;
  }

  @Test
  void shortJobsReadEachTime() {
    assertThat(asks(5)).isEqualTo(10);
    assertThat(asks(20)).isBetween(20, 30);
  }

  @Test
  void longJobsAskSeldom() {
    assertThat(asks(300)).isLessThan(70);
    assertThat(asks(3600)).isLessThan(180);
  }
}
