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
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an attempt is told that need not be appended again, and what its manifest then says. */
class HeldPartitionsStateTest {
  private static final String JOB = "job_1_1";

  private final CoreFixture core = new CoreFixture();
  private long first;
  private long second;

  @BeforeEach
  void commitAnAttempt() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create(JOB, 4);
    first = core.bind(JOB, 0, 1).getChunk();
    second = core.bind(JOB, 0, 2).getChunk();
    core.commit(JOB, 0, 0, wrote(1, first), wrote(2, second));
  }

  private List<HeldPartition> held(int map, int attempt) throws RequestRefusedException {
    return core.state
        .createIfiles(job(JOB, 4).setMap(map).setAttempt(attempt).build(), core.nowMs)
        .getHeldList();
  }

  private List<Integer> heldNumbers(int map, int attempt) throws RequestRefusedException {
    return held(map, attempt).stream().map(HeldPartition::getPartition).toList();
  }

  private static PartitionManifest madeAgain(int partition, int attempt) {
    return wrote(partition).toBuilder().setHeldBy(attempt + 1).build();
  }

  private WinnerManifest winner(int partition, int attempt) throws RequestRefusedException {
    return core.plan(JOB, partition, false, 0, attempt).getWinners(0);
  }

  private void lose(long chunk, int partition) throws RequestRefusedException {
    core.heartbeat("s1", CoreFixture.report(JOB, chunk, partition, ChunkState.LOST));
  }

  @Test
  void tellsWhatALaterAttemptNeedNotAppend() throws RequestRefusedException {
    assertThat(held(0, 1))
        .containsExactly(
            HeldPartition.newBuilder()
                .setPartition(1)
                .setRecords(10)
                .setRecordBytes(900)
                .setChecksum(CoreFixture.CHECKSUM)
                .build(),
            HeldPartition.newBuilder()
                .setPartition(2)
                .setRecords(10)
                .setRecordBytes(900)
                .setChecksum(CoreFixture.CHECKSUM)
                .build());
    assertThat(core.metrics.get(MetaserverMetric.PARTITIONS_HELD)).isEqualTo(2);
  }

  @Test
  void tellsNothingToTheSameAttemptNorToOtherMaps() throws RequestRefusedException {
    assertThat(held(0, 0)).isEmpty();
    assertThat(held(1, 1)).isEmpty();
  }

  @Test
  void doesNotCountOnWhatIsLostOrCouldNotBeRead() throws RequestRefusedException {
    lose(first, 1);
    assertThat(heldNumbers(0, 1)).containsExactly(2);
    core.state.reportUnreadable(
        ReportUnreadableRequest.newBuilder().setJob(JOB).addChunks(second).addChunks(77).build(),
        core.nowMs);
    assertThat(heldNumbers(0, 1)).isEmpty();
    assertThat(core.metrics.get(MetaserverMetric.CHUNKS_UNREADABLE)).isEqualTo(1);
  }

  @Test
  void doesNotCountOnAServerThatHasDamagedAnotherChunk() throws RequestRefusedException {
    core.state.reportUnreadable(
        ReportUnreadableRequest.newBuilder().setJob(JOB).addChunks(second).build(), core.nowMs);
    assertThat(heldNumbers(0, 1)).isEmpty();
  }

  @Test
  void tellsReadersOnWhichServersOthersCouldNotRead() throws RequestRefusedException {
    core.register("s2", CoreFixture.RACK);
    for (int map = 1; map < 20; map++) {
      core.bind(JOB, map, 3);
    }
    assertThat(describe()).extracting(ChunkDescription::getServerId).contains("s1", "s2");
    assertThat(describe()).noneMatch(ChunkDescription::getDoubted);
    core.state.reportUnreadable(
        ReportUnreadableRequest.newBuilder().setJob(JOB).addChunks(second).build(), core.nowMs);
    assertThat(describe())
        .allMatch(chunk -> chunk.getDoubted() == chunk.getServerId().equals("s1"));
  }

  private List<ChunkDescription> describe() throws RequestRefusedException {
    DescribeJobRequest request =
        DescribeJobRequest.newBuilder().setJob(JOB).setPartition(-1).build();
    return core.state.describeJob(request, core.nowMs).getChunksList();
  }

  @Test
  void bindsNobodyToAChunkThatCouldNotBeRead() throws RequestRefusedException {
    core.state.reportUnreadable(
        ReportUnreadableRequest.newBuilder().setJob(JOB).addChunks(first).build(), core.nowMs);
    assertThat(core.bind(JOB, 5, 1).getChunk()).isNotEqualTo(first);
  }

  @Test
  void doesNotCountOnADeadServer() throws RequestRefusedException {
    CoreFixture.tick(core.state, core.nowMs + CoreFixture.DEAD_AFTER_MS + 1);
    assertThat(held(0, 1)).isEmpty();
  }

  @Test
  void aLaterManifestCountsOnTheEarlierBlocks() throws RequestRefusedException {
    lose(first, 1);
    long again = core.bind(JOB, 9, 1).getChunk();
    core.commit(JOB, 0, 1, wrote(1, again), madeAgain(2, 0));
    WinnerManifest own = winner(1, 1);
    assertThat(own.getBlockAttempt()).isEqualTo(1);
    assertThat(own.getBlocks(0).getChunk()).isEqualTo(again);
    WinnerManifest inherited = winner(2, 1);
    assertThat(inherited.getAttempt()).isEqualTo(1);
    assertThat(inherited.getBlockAttempt()).isZero();
    assertThat(inherited.getBlocksList()).isEqualTo(wrote(2, second).getBlocksList());
    assertThat(inherited.getRecords()).isEqualTo(10);
  }

  @Test
  void aThirdAttemptCountsOnBlocksOfTheFirst() throws RequestRefusedException {
    core.commit(JOB, 0, 3, madeAgain(1, 0), madeAgain(2, 0));
    assertThat(held(0, 4)).extracting(HeldPartition::getAttempt).containsExactly(3, 3);
    core.commit(JOB, 0, 4, madeAgain(1, 3), madeAgain(2, 3));
    assertThat(winner(2, 4).getBlockAttempt()).isZero();
    lose(second, 2);
    assertThat(heldNumbers(0, 5)).containsExactly(1);
  }

  @Test
  void repeatingACommitIsNoError() throws RequestRefusedException {
    core.commit(JOB, 0, 1, madeAgain(1, 0));
    core.commit(JOB, 0, 1, madeAgain(1, 0));
    assertThat(core.metrics.get(MetaserverMetric.MANIFESTS)).isEqualTo(2);
  }

  @Test
  void refusesToCountOnWhatWasNotCommitted() {
    for (PartitionManifest wrong :
        List.of(
            madeAgain(1, 7),
            madeAgain(3, 0),
            madeAgain(1, 0).toBuilder().setRecords(11).build(),
            madeAgain(1, 0).toBuilder().setRecordBytes(1).build(),
            madeAgain(1, 0).toBuilder().setChecksum(1).build(),
            wrote(1, first).toBuilder().setHeldBy(1).build())) {
      assertRefused(
          Status.BAD_REQUEST, "is not what was committed", () -> core.commit(JOB, 0, 1, wrong));
    }
  }

  @Test
  void aMapThatIsNotRepeatableAppendsEverythingFromThenOn() throws RequestRefusedException {
    core.state.abortAttempt(
        AbortAttemptRequest.newBuilder()
            .setJob(JOB)
            .setMap(0)
            .setAttempt(1)
            .setNotRepeatable(true)
            .build(),
        core.nowMs);
    assertThat(held(0, 2)).isEmpty();
  }
}
