package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.testkit.ManualNanoClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The core under a clock that jumps: nobody's lease and no chunkserver is lost by it. */
class ClockJumpTest {
  private static final long STEP_MS = 5000;

  /** The machine slept for hours: nobody could renew anything meanwhile. */
  @Test
  void hoursOfSleepEndNoLease() throws RequestRefusedException {
    CoreFixture core = new CoreFixture();
    ManualNanoClock nanos = new ManualNanoClock();
    SteadyClock clock = new SteadyClock(nanos, STEP_MS);
    core.nowMs = clock.nowMs();
    core.register("s1", CoreFixture.RACK);
    core.create("job_1_1", 1);
    core.bind("job_1_1", 0, 0);
    for (int i = 0; i < 5; i++) {
      nanos.advance(Duration.ofHours(7));
      CoreFixture.tick(core.state, clock.nowMs());
    }
    assertThat(core.state.jobs().names()).containsExactly("job_1_1");
    assertThat(core.state.registry().live()).hasSize(1);
    assertThat(core.metrics.get(MetaserverMetric.CHUNK_LOSSES)).isZero();
  }

  /** A nanosecond clock that goes back, as some virtual machines' do when they move. */
  @Test
  void aClockThatGoesBackStandsStill() throws RequestRefusedException {
    CoreFixture core = new CoreFixture();
    long[] nanos = {TimeUnit.HOURS.toNanos(100)};
    SteadyClock clock = new SteadyClock(() -> nanos[0], STEP_MS);
    core.nowMs = clock.nowMs();
    core.create("job_1_1", 1);
    nanos[0] -= TimeUnit.HOURS.toNanos(50);
    long before = clock.nowMs();
    assertThat(before).isEqualTo(core.nowMs);
    CoreFixture.tick(core.state, before);
    assertThat(core.state.jobs().names()).hasSize(1);
    long passed = 0;
    while (passed <= CoreFixture.LEASE_MS) {
      nanos[0] += TimeUnit.MILLISECONDS.toNanos(STEP_MS);
      passed += STEP_MS;
      CoreFixture.tick(core.state, clock.nowMs());
    }
    assertThat(core.state.jobs().names()).as("time goes on after the jump").isEmpty();
  }

  /** The wall clock only makes ids; one that was set back hours does not give one again. */
  @Test
  void idsAreNotGivenAgainWhenTheWallClockWasSetBack() throws RequestRefusedException {
    CoreFixture before = new CoreFixture();
    before.register("s1", CoreFixture.RACK);
    before.create("job_1_1", 1);
    long used = before.bind("job_1_1", 0, 0).getChunk();
    MetaserverState restarted =
        new MetaserverState(1000, 10_000, new Metrics<>(MetaserverMetric.class));
    restarted.ledBy(
        Lead.newBuilder()
            .setWallMs(1_000_000 - Duration.ofHours(5).toSeconds())
            .setChunkBytes(1 << 20)
            .setReservationBytes(1 << 20)
            .setLeaseMs(1000)
            .build());
    restarted.beginLeading(0);
    ChunkReport held = CoreFixture.report("job_1_1", used, 0, ChunkState.SORTED);
    restarted
        .desk()
        .register(CoreFixture.server("s1").addChunks(held).build(), CoreFixture.RACK, false, 0);
    restarted.createIfiles(CoreFixture.job("job_1_2", 1).build(), 0);
    long next =
        restarted
            .bind(
                BindRequest.newBuilder()
                    .setJob("job_1_2")
                    .addTargets(CoreFixture.target(0))
                    .build(),
                CoreFixture.RACK,
                0)
            .getBindings(0)
            .getChunk();
    assertThat(next).isGreaterThan(used);
  }
}
