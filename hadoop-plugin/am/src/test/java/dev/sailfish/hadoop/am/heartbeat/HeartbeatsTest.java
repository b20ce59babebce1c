package dev.sailfish.hadoop.am.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.util.MonotonicClock;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
  private static final long DEADLINE_S = 30;

  private final BlockingQueue<Beat> rounds = new LinkedBlockingQueue<>();

  private Void round() {
    rounds.add(Beat.current());
    return null;
  }

  @Test
  void earlyRoundComesWhenSomethingIsAskedFor() throws Exception {
    try (Heartbeats heartbeats = new Heartbeats(5, new MonotonicClock())) {
      heartbeats.begin(this::round);
      heartbeats.asked();
      assertThat(rounds.poll(DEADLINE_S, TimeUnit.SECONDS)).isEqualTo(Beat.EARLY);
    }
    assertThat(Beat.current()).isEqualTo(Beat.REGULAR);
  }

  @Test
  void roundThatFailsIsFollowedByTheNext() throws Exception {
    try (Heartbeats heartbeats = new Heartbeats(5, new MonotonicClock())) {
      heartbeats.begin(
          () -> {
            round();
            throw new IllegalStateException("the ResourceManager is not there");
          });
      heartbeats.asked();
      for (int i = 0; i < EarlyBeats.LEAST; i++) {
        assertThat(rounds.poll(DEADLINE_S, TimeUnit.SECONDS)).isEqualTo(Beat.EARLY);
      }
    }
  }

  @Test
  void nothingIsCalledAfterTheEnd() throws Exception {
    Heartbeats heartbeats = new Heartbeats(1, new MonotonicClock());
    heartbeats.begin(this::round);
    heartbeats.close();
    heartbeats.asked();
    assertThat(rounds).isEmpty();
  }

  @Test
  void jobCanDoWithout() {
    JobConf conf = new JobConf(false);
    assertThat(Heartbeats.of(conf).on()).isTrue();
    conf.set("sailfish.am.early.heartbeats", "0");
    try (Heartbeats heartbeats = Heartbeats.of(conf)) {
      assertThat(heartbeats.on()).isFalse();
      heartbeats.begin(this::round);
      heartbeats.asked();
    }
    assertThat(rounds).isEmpty();
  }
}
