package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;

/** Random operations on the core, with invariants checked after each. */
@Seeded
class RandomOperationsTest {
  private static final int OPERATIONS = 2000;
  private static final int PARTITIONS = 5;
  private static final int MAPS = 30;
  private static final int APPENDERS_PER_CHUNK = 4;
  private static final String[] RACKS = {"/a", "/b", "/c"};

  /** Runs one sequence of operations; the log tells two runs apart. */
  private static final class Run {
    private final CoreFixture core = new CoreFixture();
    private final SplittableRandom random;
    private final Map<String, Map<Long, ChunkState>> held = new TreeMap<>();
    private final Map<String, Map<String, PartitionManifest>> committed = new HashMap<>();
    private final StringBuilder log = new StringBuilder();
    private int jobs;

    Run(long seed) {
      random = new SplittableRandom(seed);
    }

    void run() throws RequestRefusedException {
      for (int i = 0; i < OPERATIONS; i++) {
        step();
        checkInvariants();
      }
      for (String job : core.state.jobs().names()) {
        delete(job);
      }
      checkInvariants();
      checkNothingIsLeft();
    }

    private void step() throws RequestRefusedException {
      List<String> names = core.state.jobs().names();
      String job = names.isEmpty() ? null : names.get(random.nextInt(names.size()));
      int kind = random.nextInt(100);
      if (job == null || kind < 2) {
        create();
      } else if (kind < 45) {
        bind(job);
      } else if (kind < 60) {
        commit(job);
      } else if (kind < 65) {
        abort(job);
      } else if (kind < 72) {
        plan(job);
      } else if (kind < 90) {
        hear();
      } else if (kind < 94) {
        register();
      } else if (kind < 98) {
        core.nowMs += random.nextInt(5_000);
        core.tick();
      } else if (kind < 99) {
        delete(job);
      } else {
        core.nowMs += random.nextInt(40_000);
        core.tick();
      }
    }

    private void create() throws RequestRefusedException {
      core.createSmall("job_1_" + jobs++, PARTITIONS, APPENDERS_PER_CHUNK);
    }

    private void bind(String job) throws RequestRefusedException {
      int map = random.nextInt(MAPS);
      BindTarget.Builder target = BindTarget.newBuilder().setPartition(random.nextInt(PARTITIONS));
      ChunkInfo bound =
          core.state.jobs().find(job).binding(new AttemptId(map, 0), target.getPartition());
      if (bound != null && random.nextBoolean()) {
        target.setPreviousChunk(bound.id()).setPreviousFull(random.nextBoolean());
      }
      if (random.nextInt(5) == 0) {
        target.addAvoidServers("s" + random.nextInt(4));
      }
      boolean possible =
          !core.state.registry().live().isEmpty()
              && core.state.jobs().find(job).manifest(new AttemptId(map, 0)) == null;
      try {
        Binding binding = core.bind(job, map, RACKS[random.nextInt(RACKS.length)], target.build());
        log.append(binding.getServerId()).append(Long.toHexString(binding.getChunk()));
        assertThat(possible).isTrue();
        checkBinding(job, target.build(), binding);
      } catch (RequestRefusedException e) {
        log.append(e.status());
        assertThat(possible).as(e.getMessage()).isFalse();
      }
    }

    private void checkBinding(String job, BindTarget target, Binding binding) {
      ChunkInfo chunk = core.chunk(job, binding.getChunk());
      assertThat(chunk.state()).isEqualTo(ChunkState.OPEN);
      assertThat(chunk.isBindable()).isTrue();
      assertThat(chunk.server().isLive()).isTrue();
      assertThat(chunk.ifile().partition()).isEqualTo(target.getPartition());
      if (target.getPreviousFull()) {
        assertThat(chunk.id()).isNotEqualTo(target.getPreviousChunk());
      }
      boolean another =
          core.state.registry().live().stream()
              .anyMatch(server -> !target.getAvoidServersList().contains(server.id()));
      if (another) {
        assertThat(target.getAvoidServersList()).doesNotContain(binding.getServerId());
      }
    }

    private void commit(String job) throws RequestRefusedException {
      int map = random.nextInt(MAPS);
      AttemptId attempt = new AttemptId(map, 0);
      if (core.state.jobs().find(job).manifest(attempt) != null) {
        return;
      }
      List<PartitionManifest> manifests = new ArrayList<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        ChunkInfo bound = core.state.jobs().find(job).binding(attempt, partition);
        if (bound != null) {
          manifests.add(CoreFixture.wrote(partition, bound.id()));
          held.computeIfAbsent(bound.server().id(), id -> new TreeMap<>())
              .putIfAbsent(bound.id(), ChunkState.OPEN);
        }
      }
      core.commit(job, map, 0, manifests.toArray(new PartitionManifest[0]));
      for (PartitionManifest manifest : manifests) {
        committed
            .computeIfAbsent(job, j -> new HashMap<>())
            .put(map + "/" + manifest.getPartition(), manifest);
      }
    }

    private void abort(String job) throws RequestRefusedException {
      core.state.abortAttempt(
          AbortAttemptRequest.newBuilder().setJob(job).setMap(random.nextInt(MAPS)).build(),
          core.nowMs);
    }

    private void plan(String job) throws RequestRefusedException {
      int partition = random.nextInt(PARTITIONS);
      boolean last = random.nextInt(4) == 0;
      List<Integer> winners = new ArrayList<>();
      for (int map = 0; map < MAPS; map++) {
        winners.addAll(List.of(map, 0));
      }
      PlanPartitionResponse plan = core.plan(job, partition, last, winners.toArray(new Integer[0]));
      Set<Long> chunks = new HashSet<>();
      plan.getChunksList().forEach(chunk -> chunks.add(chunk.getChunk()));
      Set<Long> expected = new HashSet<>();
      Map<String, PartitionManifest> manifests = committed.getOrDefault(job, Map.of());
      for (int map = 0; map < MAPS; map++) {
        PartitionManifest manifest = manifests.get(map + "/" + partition);
        if (manifest != null) {
          assertThat(plan.getWinners(map).getBlocksList()).isEqualTo(manifest.getBlocksList());
          manifest.getBlocksList().forEach(blocks -> expected.add(blocks.getChunk()));
        }
      }
      assertThat(chunks).isEqualTo(expected);
      if (last) {
        for (ChunkLocation chunk : plan.getChunksList()) {
          assertThat(core.chunk(job, chunk.getChunk()).isBindable()).isFalse();
        }
      }
    }

    /** A server reports chunks that moved on, and does what it is told. */
    private void hear() throws RequestRefusedException {
      String id = "s" + random.nextInt(4);
      Map<Long, ChunkState> mine = held.getOrDefault(id, new TreeMap<>());
      List<ChunkReport> changed = new ArrayList<>();
      for (Map.Entry<Long, ChunkState> entry : mine.entrySet()) {
        if (random.nextInt(3) == 0) {
          entry.setValue(later(entry.getValue()));
          changed.add(report(entry.getKey(), entry.getValue()));
        }
      }
      if (core.heartbeat(id, changed.toArray(new ChunkReport[0]))) {
        var commands = core.state.desk().takeCommands(id);
        commands.getDeleteChunksList().forEach(mine::remove);
        log.append(commands.getDeleteJobsList());
      } else if (core.state.registry().find(id) != null) {
        core.register(id, rackOf(id), reports(mine)).getUnknownChunksList().forEach(mine::remove);
      }
    }

    private ChunkState later(ChunkState state) {
      return switch (state) {
        case OPEN -> random.nextBoolean() ? ChunkState.STABLE : ChunkState.SORTED;
        case STABLE -> ChunkState.SORTED;
        default -> random.nextInt(20) == 0 ? ChunkState.LOST : state;
      };
    }

    private void register() throws RequestRefusedException {
      String id = "s" + random.nextInt(4);
      Map<Long, ChunkState> mine = held.computeIfAbsent(id, i -> new TreeMap<>());
      if (random.nextInt(4) == 0) {
        mine.keySet().removeIf(chunk -> random.nextBoolean());
      }
      core.register(id, rackOf(id), reports(mine)).getUnknownChunksList().forEach(mine::remove);
    }

    private static String rackOf(String server) {
      return RACKS[server.charAt(1) % 2];
    }

    private ChunkReport[] reports(Map<Long, ChunkState> mine) {
      return mine.entrySet().stream()
          .map(entry -> report(entry.getKey(), entry.getValue()))
          .toArray(ChunkReport[]::new);
    }

    private ChunkReport report(long id, ChunkState state) {
      for (Job job : core.state.jobs().all()) {
        ChunkInfo chunk = job.chunk(id);
        if (chunk != null) {
          return CoreFixture.report(job.name(), id, chunk.ifile().partition(), state);
        }
      }
      return CoreFixture.report("ended", id, 0, state);
    }

    private void delete(String job) {
      core.state.deleteJob(job, MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
      committed.remove(job);
    }

    private void checkInvariants() {
      Map<ServerInfo, Integer> bindable = new HashMap<>();
      Set<Long> ids = new HashSet<>();
      for (Job job : core.state.jobs().all()) {
        int bound = 0;
        for (ChunkInfo chunk : job.chunks()) {
          require(ids.add(chunk.id()), "an id is given once", chunk);
          require(chunk.appenders() >= 0, "appenders are not negative", chunk);
          require(chunk.appenders() <= APPENDERS_PER_CHUNK, "reservations fit", chunk);
          bound += chunk.appenders();
          if (chunk.isBindable()) {
            require(chunk.state() == ChunkState.OPEN, "only open chunks take appenders", chunk);
            bindable.merge(chunk.server(), 1, Integer::sum);
          }
          require(
              chunk.ifile().bindable().contains(chunk) == chunk.isBindable(),
              "the I-file knows which chunks take appenders",
              chunk);
          require(chunk.server().chunks().get(chunk.id()) == chunk, "its server knows it", chunk);
          require(
              chunk.server().isLive() || chunk.state() == ChunkState.LOST,
              "chunks of dead servers are lost",
              chunk);
        }
        assertThat(bound).isEqualTo(job.bindingCount());
        checkWhereTheNextGoes(job);
      }
      for (Map<String, PartitionManifest> manifests : committed.values()) {
        for (PartitionManifest manifest : manifests.values()) {
          require(
              ids.contains(manifest.getBlocks(0).getChunk()),
              "chunks of manifests exist until their job is deleted",
              manifest);
        }
      }
      for (ServerInfo server : core.state.registry().all()) {
        assertThat(server.bindableChunks()).isEqualTo(bindable.getOrDefault(server, 0));
        assertThat(ids).containsAll(server.chunks().keySet());
      }
    }

    private void checkWhereTheNextGoes(Job job) {
      Collection<ServerInfo> all = core.state.registry().all();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        for (Ifile ifile : job.ifiles(partition)) {
          require(
              ifile.withRoom(APPENDERS_PER_CHUNK, all) == oldestWithRoom(ifile),
              "the oldest chunk with room is found",
              ifile);
        }
      }
    }

    private static ChunkInfo oldestWithRoom(Ifile ifile) {
      for (ChunkInfo chunk : ifile.bindable()) {
        if (chunk.appenders() < APPENDERS_PER_CHUNK) {
          return chunk;
        }
      }
      return null;
    }

    /** An assertion that costs nothing while it holds; there are millions of them. */
    private static void require(boolean holds, String invariant, Object subject) {
      if (!holds) {
        throw new AssertionError("does not hold: " + invariant + ": " + subject);
      }
    }

    private void checkNothingIsLeft() {
      for (ServerInfo server : core.state.registry().all()) {
        assertThat(server.chunks()).isEmpty();
        assertThat(server.bindableChunks()).isZero();
      }
      assertThat(core.state.gauges()).containsEntry(MetaserverMetric.APPENDERS_BOUND, 0L);
    }
  }

  @RepeatedTest(5)
  void holdsItsInvariants(Seed seed) throws RequestRefusedException {
    new Run(seed.value()).run();
  }

  @RepeatedTest(2)
  void isDeterministic(Seed seed) throws RequestRefusedException {
    Run first = new Run(seed.value());
    first.run();
    Run second = new Run(seed.value());
    second.run();
    assertThat(second.log.toString()).isEqualTo(first.log.toString()).isNotEmpty();
  }
}
