package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.target;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who is bound where. */
class BindTest {
  private final CoreFixture core = new CoreFixture();

  @Test
  void needsAChunkserver() throws RequestRefusedException {
    core.create("j", 2);
    assertRefused(
        Status.NO_SPACE, "no chunkserver is registered and live", () -> core.bind("j", 0, 0));
    core.register("s1", CoreFixture.RACK);
    core.bind("j", 0, 0);
    core.pass(CoreFixture.DEAD_AFTER_MS);
    assertRefused(Status.NO_SPACE, "(1 are dead)", () -> core.bind("j", 1, 0));
  }

  @Test
  void refusesWithoutChangingAnything() throws RequestRefusedException {
    core.create("j", 2);
    core.register("s1", CoreFixture.RACK);
    BindRequest request =
        BindRequest.newBuilder().setJob("j").addTargets(target(0)).addTargets(target(2)).build();
    assertRefused(
        Status.BAD_REQUEST,
        "partition=2 is not in 0..1",
        () -> core.state.bind(request, CoreFixture.RACK, 7));
    assertRefused(Status.JOB_UNKNOWN, "job=k", () -> core.bind("k", 0, 0));
    assertThat(core.state.gauges()).containsEntry(MetaserverMetric.CHUNKS_OPEN, 0L);
  }

  @Test
  void reservesSpaceForEachAppenderAndOpensMoreChunks() throws RequestRefusedException {
    core.createSmall("j", 1, 3);
    core.register("s1", CoreFixture.RACK);
    Map<Long, Integer> appenders = new HashMap<>();
    for (int map = 0; map < 8; map++) {
      appenders.merge(core.bind("j", map, 0).getChunk(), 1, Integer::sum);
    }
    assertThat(appenders.values()).containsExactlyInAnyOrder(3, 3, 2);
  }

  @Test
  void bindsOneAppenderAtLeast() {
    assertThat(Placement.appendersPerChunk(CoreFixture.MIB, 64 * CoreFixture.MIB)).isEqualTo(1);
    assertThat(Placement.appendersPerChunk(128 * CoreFixture.MIB, CoreFixture.MIB)).isEqualTo(128);
  }

  @Test
  void fillsTheOldestChunkFirst() throws RequestRefusedException {
    core.createSmall("j", 1, 1);
    core.register("s1", CoreFixture.RACK);
    long first = core.bind("j", 0, 0).getChunk();
    core.bind("j", 1, 0);
    core.commit("j", 0, 0, CoreFixture.wrote(0, first));
    assertThat(core.bind("j", 2, 0).getChunk()).isEqualTo(first);
  }

  @Test
  void repeatingARequestGivesTheSameChunk() throws RequestRefusedException {
    core.createSmall("j", 1, 1);
    core.register("s1", CoreFixture.RACK);
    Binding first = core.bind("j", 0, 0);
    assertThat(core.bind("j", 0, 0)).isEqualTo(first);
    var full = target(0).setPreviousChunk(first.getChunk()).setPreviousFull(true).build();
    Binding second = core.bind("j", 0, full);
    assertThat(core.bind("j", 0, full)).isEqualTo(second);
    assertThat(second.getChunk()).isNotEqualTo(first.getChunk());
    assertThat(core.chunk("j", second.getChunk()).appenders()).isEqualTo(1);
    assertThat(core.chunk("j", first.getChunk()).appenders()).isZero();
  }

  @Test
  void sendsNobodyToAFullChunk() throws RequestRefusedException {
    core.create("j", 1);
    core.register("s1", CoreFixture.RACK);
    long first = core.bind("j", 0, 0).getChunk();
    assertThat(core.bind("j", 1, 0).getChunk()).isEqualTo(first);
    long second =
        core.bind("j", 0, target(0).setPreviousChunk(first).setPreviousFull(true).build())
            .getChunk();
    assertThat(second).isNotEqualTo(first);
    assertThat(core.bind("j", 2, 0).getChunk()).isEqualTo(second);
    assertThat(core.chunk("j", first).appenders()).isEqualTo(1);
    assertThat(core.chunk("j", first).state()).isEqualTo(ChunkState.OPEN);
  }

  @Test
  void sendsNobodyToAChunkThatIsNotOpen() throws RequestRefusedException {
    core.create("j", 1);
    core.register("s1", CoreFixture.RACK);
    long first = core.bind("j", 0, 0).getChunk();
    core.heartbeat("s1", CoreFixture.report("j", first, 0, ChunkState.STABLE));
    assertThat(core.bind("j", 1, 0).getChunk()).isNotEqualTo(first);
    assertThat(core.bind("j", 0, 0).getChunk()).isNotEqualTo(first);
    assertThat(core.chunk("j", first).appenders()).isZero();
  }

  @Test
  void avoidsServersWhileThereIsAnother() throws RequestRefusedException {
    core.create("j", 1);
    core.register("s1", CoreFixture.RACK);
    Binding first = core.bind("j", 0, 0);
    var unreachable = target(0).setPreviousChunk(first.getChunk()).addAvoidServers("s1").build();
    assertThat(core.bind("j", 0, unreachable).getServerId()).isEqualTo("s1");
    core.register("s2", CoreFixture.RACK);
    assertThat(core.bind("j", 0, unreachable).getServerId()).isEqualTo("s2");
    assertThat(core.bind("j", 6, 0).getServerId()).isEqualTo("s1");
  }

  @Test
  void staysInTheRackAndLeavesItWhenItMust() throws RequestRefusedException {
    core.create("j", 1);
    core.register("s1", "/a");
    core.register("s2", "/b");
    for (int map = 0; map < 4; map++) {
      assertThat(core.bind("j", map, "/b", target(0).build()).getServerId()).isEqualTo("s2");
    }
    Binding avoided = core.bind("j", 4, "/b", target(0).addAvoidServers("s2").build());
    assertThat(avoided.getServerId()).isEqualTo("s1");
    Binding homeless = core.bind("j", 5, "/c", target(0).build());
    Binding homeless2 = core.bind("j", 7, "/c", target(0).build());
    assertThat(homeless2.getChunk()).isEqualTo(homeless.getChunk());
    assertThat(core.state.jobs().find("j").ifiles(0))
        .extracting(Ifile::rack)
        .containsExactly("/b", "/a");
  }

  @Test
  void spreadsConsecutivePartitionsOverTheServersOfAHome() throws RequestRefusedException {
    core.create("j", 12);
    for (int server = 0; server < 3 * Homes.FEW; server++) {
      core.register(MapPhase.server(server), CoreFixture.RACK);
    }
    BindRequest.Builder request = BindRequest.newBuilder().setJob("j");
    for (int partition = 0; partition < 12; partition++) {
      request.addTargets(target(partition));
    }
    var bindings = core.bind(request.build(), CoreFixture.RACK).getBindingsList();
    Map<String, Integer> perServer = new HashMap<>();
    for (int i = 0; i < 12; i++) {
      assertThat(bindings.get(i).getPartition()).isEqualTo(i);
      perServer.merge(bindings.get(i).getServerId(), 1, Integer::sum);
      if (i > 0) {
        assertThat(bindings.get(i).getServerId()).isNotEqualTo(bindings.get(i - 1).getServerId());
      }
    }
    assertThat(perServer.values()).containsExactly(4, 4, 4);
  }

  @Test
  void prefersServersWithRoomAndThenThoseWithMore() throws RequestRefusedException {
    core.create("j", 10);
    core.state
        .desk()
        .register(
            CoreFixture.server("s1").setMemoryCapacity(1L << 30).build(),
            CoreFixture.RACK,
            false,
            5);
    core.state
        .desk()
        .register(
            CoreFixture.server("s2").setMemoryCapacity(1L << 30).build(),
            CoreFixture.RACK,
            false,
            5);
    used("s1", (1L << 30) - 1000);
    for (int partition = 0; partition < 4; partition++) {
      assertThat(core.bind("j", 0, partition).getServerId()).isEqualTo("s2");
    }
    used("s2", (1L << 30) - 10);
    for (int partition = 4; partition < 8; partition++) {
      assertThat(core.bind("j", 0, partition).getServerId()).isEqualTo("s1");
    }
  }

  /** The one server that takes all partitions of a map. */
  private String home(int map, String... avoided) throws RequestRefusedException {
    BindRequest.Builder request = BindRequest.newBuilder().setJob("j").setMap(map);
    for (int partition = 0; partition < 8; partition++) {
      request.addTargets(target(partition).addAllAvoidServers(Set.of(avoided)));
    }
    Set<String> servers = new HashSet<>();
    for (Binding binding : core.bind(request.build(), CoreFixture.RACK).getBindingsList()) {
      servers.add(binding.getServerId());
    }
    assertThat(servers).hasSize(1);
    return servers.iterator().next();
  }

  @Test
  void allPartitionsOfAMapLeaveAServerForTheSameOne() throws RequestRefusedException {
    core.create("j", 8);
    for (int server = 0; server < 4; server++) {
      core.register(MapPhase.server(server), CoreFixture.RACK);
    }
    String first = home(0);
    String second = home(1);
    assertThat(Set.of(first, second, home(2), home(3))).hasSize(4);
    assertThat(home(4)).isEqualTo(first);

    used(first, (1L << 40) - 1);
    assertThat(home(0)).as("bound already").isEqualTo(first);
    String next = home(8);
    assertThat(next).isNotEqualTo(first);
    assertThat(home(8, next)).isNotIn(first, next);
    assertThat(home(9)).isEqualTo(second);
    used(first, 0);
    assertThat(home(16)).isEqualTo(first);

    core.state.drains().drain(first);
    assertThat(home(20)).isNotEqualTo(first);
    assertThat(home(13)).isEqualTo(second);
  }

  private void used(String server, long bytes) throws RequestRefusedException {
    core.heartbeat(
        HeartbeatRequest.newBuilder().setServerId(server).setMemoryUsed(bytes).build(), "one");
  }

  @Test
  void givesIdsThatNoEarlierStartGave() throws RequestRefusedException {
    ChunkIds before = new ChunkIds();
    before.startAt(1_700_000_000_000L);
    ChunkIds after = new ChunkIds();
    after.startAt(1_700_000_000_001L);
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(ids.add(before.next())).isTrue();
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(ids.add(after.next())).isTrue();
    }
    assertThat(ids).doesNotContain(0L);
    long inUse = before.next() + 5;
    before.observe(inUse);
    before.observe(3);
    before.observe(-1);
    before.observe(Long.MAX_VALUE);
    assertThat(before.next()).isEqualTo(inUse + 1);
  }
}
