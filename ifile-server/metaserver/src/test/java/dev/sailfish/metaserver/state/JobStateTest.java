package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.job;
import static dev.sailfish.metaserver.state.CoreFixture.wrote;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs, manifests, plans and leases in the core. */
class JobStateTest {
  private final CoreFixture core = new CoreFixture();

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create("job_1_1", 4);
  }

  private long opened(int map, int partition) throws RequestRefusedException {
    return core.bind("job_1_1", map, partition).getChunk();
  }

  // ---- when all maps have committed
  // -------------------------------------------------------------

  @Test
  void tellsServersOfOpenChunksWhenAllMapsHaveCommitted() throws RequestRefusedException {
    long chunk = opened(0, 1);
    core.commitOf(3, "job_1_1", 0, 0, wrote(1, chunk));
    core.commitOf(3, "job_1_1", 0, 1, wrote(1, chunk));
    core.commitOf(3, "job_1_1", 1, 0);
    assertThat(core.commands("s1").getCompleteJobsList()).isEmpty();
    core.commitOf(3, "job_1_1", 2, 0);
    assertThat(core.state.desk().hasNews("s1")).isTrue();
    assertThat(core.commands("s1").getCompleteJobsList()).containsExactly("job_1_1");
    core.commitOf(3, "job_1_1", 2, 1);
    assertThat(core.commands("s1").getCompleteJobsList()).as("once").isEmpty();
  }

  @Test
  void tellsNothingOfJobsThatDoNotSayHowManyMapsTheyHave() throws RequestRefusedException {
    core.commit("job_1_1", 0, 0, wrote(1, opened(0, 1)));
    assertThat(core.commands("s1").getCompleteJobsList()).isEmpty();
  }

  @Test
  void tellsNothingToServersWhoseChunksAreNotOpen() throws RequestRefusedException {
    long chunk = opened(0, 1);
    core.heartbeat("s1", CoreFixture.report("job_1_1", chunk, 1, ChunkState.STABLE));
    core.commitOf(1, "job_1_1", 0, 0, wrote(1, chunk));
    assertThat(core.commands("s1").getCompleteJobsList()).isEmpty();
  }

  // ---- creating
  // ----------------------------------------------------------------------------------

  @Test
  void createsOnceWithTheSameParameters() throws RequestRefusedException {
    assertThat(core.state.createIfiles(job("job_1_1", 4).build(), 6).getChunkBytes())
        .isEqualTo(128 * CoreFixture.MIB);
    assertThat(core.metrics.get(MetaserverMetric.JOBS_CREATED)).isEqualTo(1);
  }

  @Test
  void refusesOtherParameters() {
    assertRefused(
        Status.CONFLICT,
        "partitions=4",
        () -> core.state.createIfiles(job("job_1_1", 5).build(), 6));
    assertRefused(
        Status.CONFLICT,
        "codec=LZ4",
        () -> core.state.createIfiles(job("job_1_1", 4).setCodec(1).build(), 6));
    assertRefused(
        Status.CONFLICT,
        "ordering=COMPARATOR",
        () -> core.state.createIfiles(job("job_1_1", 4).setOrdering(2).build(), 6));
    assertRefused(
        Status.CONFLICT,
        "chunkBytes=1048576",
        () -> core.state.createIfiles(job("job_1_1", 4).setChunkBytes(CoreFixture.MIB).build(), 6));
  }

  // ---- encryption
  // --------------------------------------------------------------------------------

  private boolean encrypted(String job, boolean asks) throws RequestRefusedException {
    return core.state.createIfiles(job(job, 4).setEncrypted(asks).build(), 6).getEncrypted();
  }

  private void lead(boolean encryptAll) {
    core.state.ledBy(core.state.lead().toBuilder().setEncryptAll(encryptAll).build());
  }

  @Test
  void encryptsJobsThatAskForIt() throws RequestRefusedException {
    assertThat(encrypted("job_1_1", false)).isFalse();
    assertThat(encrypted("job_1_2", true)).isTrue();
    assertThat(core.state.planPartition(plan("job_1_2"), 7).getEncrypted()).isTrue();
    assertThat(core.state.planPartition(plan("job_1_1"), 7).getEncrypted()).isFalse();
    assertRefused(Status.CONFLICT, "encrypted=false", () -> encrypted("job_1_1", true));
  }

  @Test
  void encryptsAllNewJobsWhenTheLeaderSaysSo() throws RequestRefusedException {
    lead(true);
    assertThat(encrypted("job_1_1", false)).as("was there before").isFalse();
    assertThat(encrypted("job_1_2", false)).isTrue();
    assertThat(encrypted("job_1_3", true)).isTrue();
    lead(false);
    assertThat(encrypted("job_1_2", false)).as("stays").isTrue();
    assertThat(encrypted("job_1_4", false)).isFalse();
  }

  private static PlanPartitionRequest plan(String job) {
    return PlanPartitionRequest.newBuilder().setJob(job).build();
  }

  @Test
  void refusesWhatIsOutOfRange() {
    for (int partitions : new int[] {0, -1, 1_000_001}) {
      assertRefused(
          Status.BAD_REQUEST,
          "is not in 1..1000000: job=j",
          () -> core.state.createIfiles(job("j", partitions).build(), 6));
    }
    for (long bytes : new long[] {-1, 1, CoreFixture.MIB - 1, (1L << 30) + 1}) {
      assertRefused(
          Status.BAD_REQUEST,
          "chunk_bytes=" + Long.toUnsignedString(bytes) + " is not in 1048576..1073741824",
          () -> core.state.createIfiles(job("j", 1).setChunkBytes(bytes).build(), 6));
    }
    assertRefused(
        Status.BAD_REQUEST,
        "unknown codec: code=9",
        () -> core.state.createIfiles(job("j", 1).setCodec(9).build(), 6));
    assertRefused(
        Status.BAD_REQUEST,
        "unknown ordering",
        () -> core.state.createIfiles(job("j", 1).setOrdering(0).build(), 6));
    for (String name : new String[] {"", "a/b", "a b", "x".repeat(201)}) {
      assertRefused(
          Status.BAD_REQUEST, "job name=", () -> core.state.createIfiles(job(name, 1).build(), 6));
    }
    assertThat(core.state.jobs().names()).containsExactly("job_1_1");
  }

  // ---- manifests
  // ---------------------------------------------------------------------------------

  @Test
  void plansWhatWinnersWrote() throws RequestRefusedException {
    long first = opened(0, 2);
    long other = opened(0, 3);
    core.chunk("job_1_1", first).closeToBindings("test");
    long second = opened(1, 2);
    core.commit("job_1_1", 0, 0, wrote(3, other), wrote(2, first));
    core.commit("job_1_1", 1, 1, wrote(2, first, second));
    core.commit("job_1_1", 2, 0);

    PlanPartitionResponse plan = core.plan("job_1_1", 2, false, 2, 0, 1, 1, 0, 0, 7, 0);

    assertThat(plan.getOrdering()).isEqualTo(1);
    assertThat(plan.getChunksList())
        .extracting(ChunkLocation::getChunk)
        .containsExactly(first, second);
    assertThat(plan.getChunks(0).getHost()).isEqualTo("host-s1");
    assertThat(plan.getWinnersList())
        .extracting(WinnerManifest::getMap)
        .containsExactly(2, 1, 0, 7);
    assertThat(plan.getWinnersList())
        .extracting(WinnerManifest::getKnown)
        .containsExactly(true, true, true, false);
    assertThat(plan.getWinners(0).getBlocksList()).isEmpty();
    assertThat(plan.getWinners(1).getBlocksList())
        .isEqualTo(wrote(2, first, second).getBlocksList());
    assertThat(plan.getWinners(2).getRecords()).isEqualTo(10);
    assertThat(plan.getWinners(2).getRawBytes()).isEqualTo(1000);
    assertThat(plan.getWinners(2).getRecordBytes()).isEqualTo(900);
    assertThat(plan.getWinners(2).getChecksum()).isEqualTo(CoreFixture.CHECKSUM);
  }

  @Test
  void namesOnlyChunksWithAcceptedBlocks() throws RequestRefusedException {
    long chunk = opened(0, 2);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    assertThat(core.plan("job_1_1", 2, false, 0, 1).getChunksList()).isEmpty();
    assertThat(core.plan("job_1_1", 1, false, 0, 0).getChunksList()).isEmpty();
    assertThat(core.plan("job_1_1", 2, false, 0, 0).getChunksCount()).isEqualTo(1);
  }

  @Test
  void showsTheStateOfChunks() throws RequestRefusedException {
    long chunk = opened(0, 2);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    core.heartbeat("s1", CoreFixture.report("job_1_1", chunk, 2, ChunkState.SORTED));
    ChunkLocation location = core.plan("job_1_1", 2, true, 0, 0).getChunks(0);
    assertThat(location.getState()).isEqualTo(ChunkState.SORTED.code());
    assertThat(location.getRawBytes()).isEqualTo(100);
  }

  @Test
  void bindsNobodyToPlannedChunksOnceAllMapsHaveAWinner() throws RequestRefusedException {
    long chunk = opened(0, 2);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    core.plan("job_1_1", 2, false, 0, 0);
    assertThat(opened(1, 2)).isEqualTo(chunk);
    core.plan("job_1_1", 2, true, 0, 0);
    assertThat(opened(2, 2)).isNotEqualTo(chunk);
  }

  @Test
  void refusesPlansThatMakeNoSense() {
    assertRefused(
        Status.BAD_REQUEST, "winners are no pairs", () -> core.plan("job_1_1", 0, false, 1));
    assertRefused(
        Status.BAD_REQUEST, "two winners", () -> core.plan("job_1_1", 0, false, 1, 0, 1, 1));
    assertRefused(
        Status.BAD_REQUEST,
        "partition=4 is not in 0..3",
        () -> core.plan("job_1_1", 4, false, 1, 0));
    assertRefused(Status.JOB_UNKNOWN, "job=job_2_2", () -> core.plan("job_2_2", 0, false, 1, 0));
  }

  @Test
  void committingTwiceIsTheSameAsOnce() throws RequestRefusedException {
    long chunk = opened(0, 2);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    assertThat(core.metrics.get(MetaserverMetric.MANIFESTS)).isEqualTo(1);
    assertThat(core.state.listJobs(10).getJobs(0).getRawBytes()).isEqualTo(1000);
    assertRefused(
        Status.CONFLICT,
        "another manifest was committed: job=job_1_1 map=0 attempt=0",
        () -> core.commit("job_1_1", 0, 0));
  }

  @Test
  void committingGivesBindingsBack() throws RequestRefusedException {
    long chunk = opened(0, 2);
    assertThat(core.chunk("job_1_1", chunk).appenders()).isEqualTo(1);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    assertThat(core.chunk("job_1_1", chunk).appenders()).isZero();
    assertRefused(Status.CONFLICT, "attempt has committed", () -> opened(0, 1));
  }

  @Test
  void abortingGivesBindingsBackAndKeepsWhatWasCommitted() throws RequestRefusedException {
    long chunk = opened(0, 2);
    core.commit("job_1_1", 0, 0, wrote(2, chunk));
    opened(1, 2);
    for (int map : new int[] {0, 1, 1, 5}) {
      core.state.abortAttempt(
          AbortAttemptRequest.newBuilder().setJob("job_1_1").setMap(map).build(), core.nowMs);
    }
    assertThat(core.chunk("job_1_1", chunk).appenders()).isZero();
    assertThat(core.plan("job_1_1", 2, false, 0, 0).getWinners(0).getKnown()).isTrue();
  }

  @Test
  void refusesDamagedManifests() throws RequestRefusedException {
    long chunk = opened(0, 2);
    assertRefused(
        Status.BAD_REQUEST,
        "chunk that does not belong there",
        () -> core.commit("job_1_1", 0, 0, wrote(1, chunk)));
    assertRefused(
        Status.BAD_REQUEST,
        "partition=1 chunk=4d",
        () -> core.commit("job_1_1", 0, 0, wrote(1, 0x4d)));
    assertRefused(
        Status.BAD_REQUEST,
        "partition=9 is not in 0..3",
        () -> core.commit("job_1_1", 0, 0, wrote(9)));
    assertRefused(
        Status.BAD_REQUEST,
        "it comes twice",
        () -> core.commit("job_1_1", 0, 0, wrote(2, chunk), wrote(2, chunk)));
    assertRefused(Status.BAD_REQUEST, "no block", () -> core.commit("job_1_1", 0, 0, wrote(1)));
    assertRefused(
        Status.BAD_REQUEST, "no pairs", () -> core.commit("job_1_1", 0, 0, blocks(chunk, 1)));
    assertRefused(
        Status.BAD_REQUEST,
        "do not ascend: first=1 count=1",
        () -> core.commit("job_1_1", 0, 0, blocks(chunk, 0, 2, 1, 1)));
    assertRefused(
        Status.BAD_REQUEST,
        "do not ascend: first=3 count=0",
        () -> core.commit("job_1_1", 0, 0, blocks(chunk, 3, 0)));
    assertThat(core.plan("job_1_1", 2, false, 0, 0).getWinners(0).getKnown()).isFalse();
  }

  private static PartitionManifest blocks(long chunk, Integer... sequences) {
    return PartitionManifest.newBuilder()
        .setPartition(2)
        .addBlocks(ChunkBlocks.newBuilder().setChunk(chunk).addAllSequences(List.of(sequences)))
        .build();
  }

  // ---- looking
  // -----------------------------------------------------------------------------------

  @Test
  void describesJobs() throws RequestRefusedException {
    core.create("job_0_9", 1);
    long chunk = opened(0, 2);
    opened(0, 1);
    core.heartbeat("s1", CoreFixture.report("job_1_1", chunk, 2, ChunkState.OPEN));
    core.nowMs += 1500;
    assertThat(core.state.listJobs(core.nowMs).getJobsList())
        .extracting(JobSummary::getJob)
        .containsExactly("job_0_9", "job_1_1");
    JobSummary summary = core.state.listJobs(core.nowMs).getJobs(1);
    assertThat(summary.getChunks()).isEqualTo(2);
    assertThat(summary.getLeaseAgeMs()).isEqualTo(1500);
    assertThat(summary.getUser()).isEqualTo("ann");
    DescribeJobRequest.Builder describe =
        DescribeJobRequest.newBuilder().setJob("job_1_1").setPartition(2);
    var described = core.state.describeJob(describe.build(), core.nowMs);
    assertThat(described.getChunksCount()).isEqualTo(1);
    assertThat(described.getChunks(0).getStoredBytes()).isEqualTo(120);
    assertThat(described.getChunks(0).getRecords()).isEqualTo(7);
    assertThat(described.getChunks(0).getAppenders()).isEqualTo(1);
    assertThat(described.getChunks(0).getRack()).isEqualTo(CoreFixture.RACK);
    assertThat(core.state.describeJob(describe.setPartition(-1).build(), 0).getChunksCount())
        .isEqualTo(2);
    assertRefused(
        Status.JOB_UNKNOWN,
        "job=no",
        () -> core.state.describeJob(describe.setJob("no").build(), 0));
  }

  @Test
  void showsGauges() throws RequestRefusedException {
    opened(0, 1);
    assertThat(core.state.gauges())
        .containsEntry(MetaserverMetric.JOBS, 1L)
        .containsEntry(MetaserverMetric.CHUNKS_OPEN, 1L)
        .containsEntry(MetaserverMetric.CHUNKS_LOST, 0L)
        .containsEntry(MetaserverMetric.APPENDERS_BOUND, 1L)
        .containsEntry(MetaserverMetric.CHUNKSERVERS_LIVE, 1L);
  }

  // ---- ends
  // --------------------------------------------------------------------------------------

  @Test
  void deletingLeavesNothingAndTellsTheServers() throws RequestRefusedException {
    core.register("s2", CoreFixture.RACK);
    opened(0, 1);
    opened(1, 2);
    assertThat(delete("job_1_1")).isTrue();
    assertThat(core.commands("s1").getDeleteJobsList()).containsExactly("job_1_1");
    assertThat(core.commands("s2").getDeleteJobsList()).containsExactly("job_1_1");
    assertThat(core.commands("s1").getDeleteJobsList()).isEmpty();
    assertThat(core.state.gauges().get(MetaserverMetric.JOBS)).isZero();
    for (ServerInfo server : core.state.registry().all()) {
      assertThat(server.chunks()).isEmpty();
      assertThat(server.bindableChunks()).isZero();
    }
    assertThat(delete("job_1_1")).isFalse();
  }

  private boolean delete(String job) {
    return core.state.deleteJob(job, MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
  }

  @Test
  void aStragglerDoesNotBringItsJobBack() throws RequestRefusedException {
    delete("job_1_1");
    assertRefused(Status.JOB_UNKNOWN, "job has ended", () -> core.create("job_1_1", 4));
    assertRefused(Status.JOB_UNKNOWN, "job has ended", () -> opened(0, 1));
    assertRefused(
        Status.JOB_UNKNOWN, "is unknown here", () -> core.state.jobs().require("job_2_2", 9));
    core.pass(CoreFixture.LEASE_MS, "s1");
    core.create("job_1_1", 4);
  }

  @Test
  void deletesAJobThatNobodyNames() throws RequestRefusedException {
    opened(0, 1);
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    assertThat(core.state.jobs().names()).containsExactly("job_1_1");
    core.pass(1, "s1");
    assertThat(core.state.jobs().names()).isEmpty();
    assertThat(core.commands("s1").getDeleteJobsList()).containsExactly("job_1_1");
    assertThat(core.metrics.get(MetaserverMetric.LEASES_EXPIRED)).isEqualTo(1);
  }

  @Test
  void requestsAndActiveJobsRenewTheLease() throws RequestRefusedException {
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    core.state.jobs().require("job_1_1", core.nowMs);
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    opened(0, 1);
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    core.heartbeat(
        HeartbeatRequest.newBuilder()
            .setServerId("s1")
            .addActiveJobs("job_1_1")
            .addActiveJobs("job_9_9")
            .build(),
        "one");
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    core.state.renewIfKnown("job_1_1", core.nowMs);
    core.state.listJobs(core.nowMs);
    core.pass(CoreFixture.LEASE_MS - 1, "s1");
    assertThat(core.state.jobs().names()).containsExactly("job_1_1");
    core.pass(1, "s1");
    assertThat(core.state.jobs().names()).isEmpty();
  }
}
