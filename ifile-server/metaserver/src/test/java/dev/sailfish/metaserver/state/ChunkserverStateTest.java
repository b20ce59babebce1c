package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.report;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chunkservers that come, report, fall silent and come back. */
class ChunkserverStateTest {
  private final CoreFixture core = new CoreFixture();
  private long chunk;

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create("j", 2);
    chunk = core.bind("j", 0, 0).getChunk();
  }

  @Test
  void tellsRackAndHeartbeat() throws RequestRefusedException {
    RegisterChunkserverResponse response = core.register("s2", "/r7");
    assertThat(response.getRack()).isEqualTo("/r7");
    assertThat(response.getHeartbeatMs()).isEqualTo(10_000);
    assertRefused(Status.BAD_REQUEST, "server_id", () -> core.register("", "/r7"));
  }

  @Test
  void tellsWhichChunksAreUnknown() throws RequestRefusedException {
    RegisterChunkserverResponse response =
        core.register(
            "s1",
            CoreFixture.RACK,
            report("j", chunk, 0, ChunkState.STABLE),
            report("j", 77, 0, ChunkState.SORTED),
            report("gone", 78, 0, ChunkState.SORTED),
            report("gone", chunk, 0, ChunkState.SORTED));
    assertThat(response.getUnknownChunksList()).containsExactly(77L, 78L, chunk);
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.STABLE);
  }

  @Test
  void comingBackLosesOnlyWhatIsGone() throws RequestRefusedException {
    long never = core.bind("j", 0, 1).getChunk();
    long kept =
        core.bind(
                "j", 0, CoreFixture.target(0).setPreviousChunk(chunk).setPreviousFull(true).build())
            .getChunk();
    core.heartbeat(
        "s1", report("j", chunk, 0, ChunkState.SORTED), report("j", kept, 0, ChunkState.OPEN));
    core.register("s1", CoreFixture.RACK, report("j", kept, 0, ChunkState.STABLE));
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
    assertThat(core.chunk("j", kept).state()).isEqualTo(ChunkState.STABLE);
    assertThat(core.chunk("j", never).state()).isEqualTo(ChunkState.OPEN);
  }

  /** Another job has appended to the same id on the server, where the chunk is gone. */
  @Test
  void aChunkThatIsAnotherJobsDoesNotHideThatOneIsGone() throws RequestRefusedException {
    core.heartbeat("s1", report("j", chunk, 0, ChunkState.SORTED));
    core.create("k", 2);
    core.register("s1", CoreFixture.RACK, report("k", chunk, 0, ChunkState.OPEN));
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
  }

  @Test
  void wantsARegistrationFirst() throws RequestRefusedException {
    assertThat(core.heartbeat("s9")).isFalse();
    assertThat(core.state.desk().hasNews("s9")).isTrue();
    assertThat(core.state.desk().takeCommands("s9").getRegisterAgain()).isTrue();
  }

  @Test
  void followsReports() throws RequestRefusedException {
    for (ChunkState state :
        new ChunkState[] {ChunkState.OPEN, ChunkState.STABLE, ChunkState.SORTED}) {
      core.heartbeat("s1", report("j", chunk, 0, state));
      assertThat(core.chunk("j", chunk).state()).isEqualTo(state);
    }
    core.heartbeat("s1", report("j", chunk, 0, ChunkState.LOST));
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
    assertThat(core.metrics.get(MetaserverMetric.CHUNK_LOSSES)).isEqualTo(1);
    core.heartbeat("s1", report("j", chunk, 0, ChunkState.LOST));
    assertThat(core.state.desk().hasNews("s1")).isFalse();
  }

  @Test
  void refusesAStateThatIsNone() {
    ChunkReport odd = report("j", chunk, 0, ChunkState.OPEN).toBuilder().setState(9).build();
    assertRefused(
        Status.BAD_REQUEST, "unknown chunk state: code=9", () -> core.heartbeat("s1", odd));
  }

  @Test
  void hasStrangeChunksDeleted() throws RequestRefusedException {
    core.heartbeat("s1", report("j", 99, 0, ChunkState.OPEN));
    assertThat(core.state.desk().hasNews("s1")).isTrue();
    assertThat(core.state.desk().takeCommands("s1").getDeleteChunksList()).containsExactly(99L);
  }

  @Test
  void losesTheChunksOfASilentServer() throws RequestRefusedException {
    core.register("s2", CoreFixture.RACK);
    core.pass(CoreFixture.DEAD_AFTER_MS - 1, "s2");
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.OPEN);
    core.pass(1, "s2");
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
    assertThat(core.metrics.get(MetaserverMetric.CHUNKSERVERS_DIED)).isEqualTo(1);
    assertThat(core.bind("j", 0, 0).getServerId()).isEqualTo("s2");
    assertThat(core.heartbeat("s1")).isFalse();
  }

  @Test
  void aServerThatWasGivenUpStartsAnew() throws RequestRefusedException {
    core.pass(CoreFixture.DEAD_AFTER_MS);
    RegisterChunkserverResponse response =
        core.register("s1", CoreFixture.RACK, report("j", chunk, 0, ChunkState.SORTED));
    assertThat(response.getUnknownChunksList()).containsExactly(chunk);
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
    assertThat(core.heartbeat("s1")).isTrue();
    assertThat(core.bind("j", 1, 0).getServerId()).isEqualTo("s1");
  }

  @Test
  void forgetsADeadServerWhenNothingRefersToIt() throws RequestRefusedException {
    core.pass(CoreFixture.DEAD_AFTER_MS);
    assertThat(core.state.registry().find("s1")).isNotNull();
    core.state.deleteJob("j", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    core.tick();
    assertThat(core.state.registry().find("s1")).isNull();
  }

  @Test
  void sendsCommandsAgainWhenTheConnectionBrokeBeforeTheyWereRead() throws RequestRefusedException {
    core.heartbeat("s1", "first");
    core.state.deleteJob("j", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    HeartbeatResponse sent = core.state.desk().takeCommands("s1");
    assertThat(sent.getDeleteJobsList()).containsExactly("j");
    core.heartbeat("s1", "second");
    assertThat(core.state.desk().takeCommands("s1")).isEqualTo(sent);
    core.heartbeat("s1", "second");
    assertThat(core.state.desk().hasNews("s1")).isFalse();
    core.heartbeat("s1", "third");
    assertThat(core.state.desk().hasNews("s1")).isFalse();
  }
}
