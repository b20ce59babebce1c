package dev.sailfish.lineage.worker.under;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Clock;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final int MIB = 1 << 20;
  private static final long MS_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private long nowNs = Long.MAX_VALUE - 1_000 * MS_NS; // it may wrap around
  private boolean isBusy;

  private final Clock clock =
      new Clock() {
        @Override
        public long nanoTime() {
          return nowNs;
        }

        @Override
        public void pause(long untilNs, String what) {
          if (untilNs - nowNs > 0) {
            nowNs = untilNs;
          }
        }
      };

  private final Pace pace = new Pace(clock, () -> isBusy);

  private long tookMs(int pieces, boolean hurries) throws InterruptedIOException {
    long startNs = nowNs;
    for (int i = 0; i < pieces; i++) {
      pace.take(MIB, () -> hurries);
    }
    return (nowNs - startNs) / MS_NS;
  }

  @Test
  void thereIsNoLimitUnlessOneIsSet() throws InterruptedIOException {
    assertThat(tookMs(1_000, false)).isZero();
  }

  @Test
  void bytesPerSecondAreThoseThatWereSet() throws InterruptedIOException {
    pace.set(10 * MIB, 0);
    assertThat(tookMs(101, false)).as("the first one is free").isBetween(9_900L, 10_000L);
    nowNs += 60_000 * MS_NS;
    assertThat(tookMs(101, false)).as("idle time counts for 100 ms").isBetween(9_800L, 9_900L);
  }

  @Test
  void aBusyHostIsWaitedForAndNotForEver() throws InterruptedIOException {
    pace.set(0, 50 * MS_NS);
    assertThat(tookMs(10, false)).isZero();
    isBusy = true;
    assertThat(tookMs(10, false)).isEqualTo(500);
    assertThat(tookMs(10, true)).as("somebody waits for it").isZero();
  }
}
