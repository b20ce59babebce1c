package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A core with a clock that tests move, and short ways to ask it. */
public final class CoreFixture {
  public static final long CHECKSUM = 0xfedcba9876543210L;
  public static final long MIB = 1L << 20;
  static final long LEASE_MS = 600_000;
  public static final long DEAD_AFTER_MS = 30_000;
  static final long MASS_DEAD_AFTER_MS = 300_000;
  public static final String RACK = "/default-rack";

  final Metrics<MetaserverMetric> metrics = new Metrics<>(MetaserverMetric.class);
  final MetaserverState state = new MetaserverState(DEAD_AFTER_MS, MASS_DEAD_AFTER_MS, metrics);
  long nowMs = 5;

  public CoreFixture() {
    state.ledBy(
        Lead.newBuilder()
            .setPeer("single")
            .setWallMs(1_000_000)
            .setChunkBytes(128 * MIB)
            .setReservationBytes(MIB)
            .setLeaseMs(LEASE_MS)
            .build());
    state.beginLeading(nowMs);
  }

  public static CreateIfilesRequest.Builder job(String job, int partitions) {
    return CreateIfilesRequest.newBuilder()
        .setJob(job)
        .setPartitions(partitions)
        .setOrdering(Ordering.NORMALIZED.code())
        .setCodec(CodecId.NONE.code())
        .setUser("ann");
  }

  void create(String job, int partitions) throws RequestRefusedException {
    state.createIfiles(job(job, partitions).build(), nowMs);
  }

  /** A job whose chunks take one to a few appenders. */
  void createSmall(String job, int partitions, int appendersPerChunk)
      throws RequestRefusedException {
    state.createIfiles(job(job, partitions).setChunkBytes(appendersPerChunk * MIB).build(), nowMs);
  }

  public static RegisterChunkserverRequest.Builder server(String id) {
    return RegisterChunkserverRequest.newBuilder()
        .setServerId(id)
        .setHost("host-" + id)
        .setPort(1000)
        .setMemoryCapacity(1L << 40);
  }

  RegisterChunkserverResponse register(String id, String rack, ChunkReport... chunks)
      throws RequestRefusedException {
    return state
        .desk()
        .register(
            server(id).addAllChunks(List.of(chunks)).build(),
            rack,
            state.desk().isDrainConfirmed(id),
            nowMs);
  }

  public static ChunkReport report(String job, long chunk, int partition, ChunkState chunkState) {
    return ChunkReport.newBuilder()
        .setJob(job)
        .setChunk(chunk)
        .setPartition(partition)
        .setState(chunkState.code())
        .setRawBytes(100)
        .setStoredBytes(120)
        .setRecords(7)
        .build();
  }

  boolean heartbeat(String id, ChunkReport... changed) throws RequestRefusedException {
    return heartbeat(id, "one", changed);
  }

  boolean heartbeat(String id, String session, ChunkReport... changed)
      throws RequestRefusedException {
    HeartbeatRequest heartbeat =
        HeartbeatRequest.newBuilder().setServerId(id).addAllChanged(List.of(changed)).build();
    return heartbeat(heartbeat, session);
  }

  /** What the driver does: first the journal's part, then the leader's. */
  boolean heartbeat(HeartbeatRequest heartbeat, String session) throws RequestRefusedException {
    if (state.desk().isMet(heartbeat.getServerId())) {
      state
          .desk()
          .report(
              Reports.newBuilder()
                  .setServerId(heartbeat.getServerId())
                  .addAllChunks(heartbeat.getChangedList())
                  .addAllUnfetched(heartbeat.getUnfetchedList())
                  .build(),
              nowMs);
    }
    return state.heartbeat(heartbeat, session, nowMs);
  }

  HeartbeatResponse commands(String id) throws RequestRefusedException {
    heartbeat(id);
    return state.desk().takeCommands(id);
  }

  Binding bind(String job, int map, BindTarget target) throws RequestRefusedException {
    return bind(job, map, RACK, target);
  }

  Binding bind(String job, int map, String rack, BindTarget target) throws RequestRefusedException {
    return bind(BindRequest.newBuilder().setJob(job).setMap(map).addTargets(target).build(), rack)
        .getBindings(0);
  }

  /** Binds, knowing what the driver's entry would say of the chunkservers' use. */
  BindResponse bind(BindRequest request, String rack) throws RequestRefusedException {
    state
        .desk()
        .freshUses()
        .forEach(use -> state.desk().uses(use.getServerId(), use.getUsedBytes()));
    return state.bind(request, rack, nowMs);
  }

  Binding bind(String job, int map, int partition) throws RequestRefusedException {
    return bind(job, map, target(partition).build());
  }

  public static BindTarget.Builder target(int partition) {
    return BindTarget.newBuilder().setPartition(partition);
  }

  public static PartitionManifest wrote(int partition, long... chunks) {
    PartitionManifest.Builder manifest =
        PartitionManifest.newBuilder()
            .setPartition(partition)
            .setRecords(10)
            .setRecordBytes(900)
            .setChecksum(CHECKSUM)
            .setRawBytes(1000);
    int sequence = 0;
    for (long chunk : chunks) {
      manifest.addBlocks(
          ChunkBlocks.newBuilder().setChunk(chunk).addSequences(sequence).addSequences(2));
      sequence += 2;
    }
    return manifest.build();
  }

  void commit(String job, int map, int attempt, PartitionManifest... manifests)
      throws RequestRefusedException {
    commitOf(0, job, map, attempt, manifests);
  }

  /** Commits an attempt that knows that the job has {@code maps} maps. */
  void commitOf(int maps, String job, int map, int attempt, PartitionManifest... manifests)
      throws RequestRefusedException {
    state.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob(job)
            .setMap(map)
            .setAttempt(attempt)
            .setMaps(maps)
            .addAllPartitions(List.of(manifests))
            .build(),
        nowMs);
  }

  PlanPartitionResponse plan(String job, int partition, boolean last, Integer... winners)
      throws RequestRefusedException {
    PlanPartitionResponse plan =
        state.planPartition(
            PlanPartitionRequest.newBuilder()
                .setJob(job)
                .setPartition(partition)
                .setFinal(last)
                .addAllWinners(List.of(winners))
                .build(),
            nowMs);
    if (last) {
      state.closeChunks(
          CloseChunks.newBuilder()
              .setJob(job)
              .addAllChunks(state.bindable(job, plan))
              .addAllWinners(List.of(winners))
              .build());
    }
    return plan;
  }

  /** Lets time bring about what it does. */
  void tick() {
    tick(state, nowMs);
  }

  /** Live servers that have been silent for too long. */
  static List<ServerInfo> silent(MetaserverState state, long nowMs) {
    List<ServerInfo> silent = new ArrayList<>(state.registry().live());
    silent.removeIf(server -> nowMs - server.lastHeardMs() < DEAD_AFTER_MS);
    return silent;
  }

  /** Lets time bring about what it does, as the driver and its entries do, without a brake. */
  static void tick(MetaserverState state, long nowMs) {
    state.passTo(nowMs);
    for (ServerInfo server : silent(state, nowMs)) {
      state.desk().serverDied(ServerDied.newBuilder().setServerId(server.id()).build());
    }
    for (Job job : state.jobs().expired(nowMs)) {
      state.deleteJob(job.name(), MetaserverMetric.LEASES_EXPIRED, "test", nowMs);
    }
    state.forgetKeys(state.unusedKeys(nowMs));
    state.drains().due(nowMs).forEach(state::handOver);
  }

  /** Lets time pass while the named servers go on with their heartbeats. */
  void pass(long ms, String... hearing) throws RequestRefusedException {
    long end = nowMs + ms;
    while (nowMs < end) {
      nowMs = Math.min(end, nowMs + 10_000);
      for (String id : hearing) {
        heartbeat(id);
      }
      tick();
    }
  }

  ChunkInfo chunk(String job, long id) {
    return state.jobs().find(job).chunk(id);
  }

  public static void assertRefused(Status status, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContaining(words);
  }
}
