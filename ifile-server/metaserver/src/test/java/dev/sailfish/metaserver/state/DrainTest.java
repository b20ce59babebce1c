package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.report;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.DrainResponse;
import dev.sailfish.protocol.wire.FetchChunk;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chunkserver that is emptied: its chunks go to others, and plans name the new place. */
class DrainTest {
  private static final long PAUSE_MS = 2_000;

  private final CoreFixture core = new CoreFixture();
  private long chunk;

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create("j", 2);
    chunk = core.bind("j", 0, 0).getChunk();
    core.register("s2", CoreFixture.RACK);
    core.heartbeat("s1", report("j", chunk, 0, ChunkState.OPEN));
  }

  private DrainResponse drain(String server) throws RequestRefusedException {
    return core.state.drains().drain(server);
  }

  private List<FetchChunk> fetches(String server) throws RequestRefusedException {
    core.tick();
    return core.commands(server).getFetchChunksList();
  }

  private String placeOf(long id) {
    return core.chunk("j", id).server().id();
  }

  /** Drains s1, whose chunk is sorted then, and has s2 told to fetch it. */
  private void drainUntilFetched() throws RequestRefusedException {
    drain("s1");
    assertThat(core.commands("s1").getDrain()).isTrue();
    core.heartbeat("s1", report("j", chunk, 0, ChunkState.SORTED));
    assertThat(fetches("s2"))
        .containsExactly(
            FetchChunk.newBuilder()
                .setChunk(chunk)
                .setJob("j")
                .setHost("host-s1")
                .setPort(1000)
                .build());
  }

  private OptionalInt left(String server) {
    return core.state.registry().places().stream()
        .filter(place -> place.id().equals(server))
        .findFirst()
        .orElseThrow()
        .chunksLeft();
  }

  @Test
  void itIsKnownHowManyChunksAreLeftOnceTheServerHasToldAllItHas() throws RequestRefusedException {
    assertThat(left("s1")).isEmpty();
    drain("s1");
    assertThat(left("s1")).as("it may have chunks that it has not told of").isEmpty();
    drainUntilFetched();
    assertThat(left("s1")).hasValue(1);
    assertThat(left("s2")).isEmpty();
    core.heartbeat("s2", report("j", chunk, 0, ChunkState.SORTED));
    assertThat(left("s1")).hasValue(0);
  }

  @Test
  void handsChunksOverOnceTheyAreSorted() throws RequestRefusedException {
    DrainResponse begun = drain("host-s1:1000");
    assertThat(begun.getServerId()).isEqualTo("s1");
    assertThat(begun.getChunksLeft()).isEqualTo(1);
    assertThat(begun.getDrained()).isFalse();
    assertThat(fetches("s2")).as("it is OPEN").isEmpty();
    drainUntilFetched();
    assertThat(drain("s1").getChunksCopying()).isEqualTo(1);
    assertThat(fetches("s2")).as("told once").isEmpty();
    assertThat(placeOf(chunk)).isEqualTo("s1");
    core.heartbeat("s2", report("j", chunk, 0, ChunkState.SORTED));
    assertThat(placeOf(chunk)).isEqualTo("s2");
    assertThat(core.state.desk().hasNews("s2")).isFalse();
    DrainResponse done = drain("s1");
    assertThat(done.getChunksLeft()).isZero();
    assertThat(done.getDrained()).isTrue();
    core.commit("j", 0, 0, CoreFixture.wrote(0, chunk));
    assertThat(core.plan("j", 0, true, 0, 0).getChunks(0).getHost()).isEqualTo("host-s2");
  }

  @Test
  void givesADrainedServerNoChunks() throws RequestRefusedException {
    drain("s1");
    for (int map = 0; map < 5; map++) {
      assertThat(core.bind("j", map, 0).getServerId()).isEqualTo("s2");
      assertThat(core.bind("j", map, 1).getServerId()).isEqualTo("s2");
    }
    drain("s2");
    assertRefused(Status.NO_SPACE, "2 are drained", () -> core.bind("j", 9, 0));
  }

  @Test
  void isNotDrainedBeforeTheServerKnows() throws RequestRefusedException {
    core.state.deleteJob("j", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    assertThat(drain("s1").getDrained()).isFalse();
    assertThat(core.state.desk().takeCommands("s1").getDrain()).isTrue();
    assertThat(drain("s1").getDrained()).isFalse();
    core.heartbeat("s1");
    assertThat(drain("s1").getDrained()).isTrue();
  }

  @Test
  void triesAgainWhenACopyFails() throws RequestRefusedException {
    drainUntilFetched();
    core.heartbeat(
        HeartbeatRequest.newBuilder().setServerId("s2").addUnfetched(chunk).build(), "one");
    assertThat(fetches("s2")).as("not at once").isEmpty();
    core.nowMs += PAUSE_MS;
    assertThat(fetches("s2")).hasSize(1);
  }

  @Test
  void triesAnotherServerWhenTheFirstIsGone() throws RequestRefusedException {
    drainUntilFetched();
    core.register("s3", "/far");
    core.pass(CoreFixture.DEAD_AFTER_MS, "s1", "s3");
    assertThat(fetches("s3")).hasSize(1);
    core.heartbeat("s3", report("j", chunk, 0, ChunkState.SORTED));
    assertThat(placeOf(chunk)).isEqualTo("s3");
  }

  @Test
  void tellsATargetAgainThatStartedAnew() throws RequestRefusedException {
    drainUntilFetched();
    core.register("s2", CoreFixture.RACK);
    assertThat(fetches("s2")).hasSize(1);
    core.register("s2", CoreFixture.RACK, report("j", chunk, 0, ChunkState.SORTED));
    assertThat(placeOf(chunk)).as("copied before it was stopped").isEqualTo("s2");
  }

  @Test
  void losesWhatADrainedServerTakesWithIt() throws RequestRefusedException {
    drainUntilFetched();
    core.pass(CoreFixture.DEAD_AFTER_MS, "s2");
    assertThat(core.chunk("j", chunk).state()).isEqualTo(ChunkState.LOST);
    core.heartbeat("s2", report("j", chunk, 0, ChunkState.SORTED));
    HeartbeatResponse commands = core.state.desk().takeCommands("s2");
    assertThat(commands.getDeleteChunksList()).contains(chunk);
  }

  @Test
  void deletesCopiesWithTheJob() throws RequestRefusedException {
    drainUntilFetched();
    core.heartbeat("s2", report("j", chunk, 0, ChunkState.SORTED));
    core.state.deleteJob("j", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    assertThat(core.commands("s1").getDeleteJobsList()).containsExactly("j");
    assertThat(core.commands("s2").getDeleteJobsList()).containsExactly("j");
  }

  @Test
  void deletesWhatIsOnItsWayWithTheJob() throws RequestRefusedException {
    drainUntilFetched();
    core.state.deleteJob("j", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    assertThat(core.commands("s2").getDeleteJobsList())
        .as("copies that are made now, and small chunks that come along, are deleted")
        .containsExactly("j");
  }

  @Test
  void takesChunksAgainWhenItComesBackEmptied() throws RequestRefusedException {
    drainUntilFetched();
    core.register("s1", CoreFixture.RACK, report("j", chunk, 0, ChunkState.SORTED));
    assertThat(core.commands("s1").getDrain()).as("not emptied yet").isTrue();
    fetches("s2");
    core.heartbeat("s2", report("j", chunk, 0, ChunkState.SORTED));
    assertThat(placeOf(chunk)).isEqualTo("s2");
    assertThat(
            core.register("s1", CoreFixture.RACK, report("j", chunk, 0, ChunkState.SORTED))
                .getUnknownChunksList())
        .containsExactly(chunk);
    assertThat(core.commands("s1").getDrain()).isFalse();
    assertThat(core.bind("j", 1, 1).getServerId()).isIn("s1", "s2");
  }

  @Test
  void refusesAServerThatIsNotThere() {
    assertRefused(Status.BAD_REQUEST, "no live chunkserver", () -> drain("nowhere:1"));
  }
}
