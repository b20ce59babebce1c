package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.CHECKSUM;
import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.wrote;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a workbuilder is told of the winners. */
@Seeded
class SumWinnersStateTest {
  private static final String JOB = "job_1_1";
  private static final int PARTITIONS = 40;

  private final CoreFixture core = new CoreFixture();

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create(JOB, PARTITIONS);
  }

  private SumWinnersResponse sum(String job, Integer... winners) throws RequestRefusedException {
    return sumFrom(0, job, winners);
  }

  private SumWinnersResponse sumFrom(int partition, String job, Integer... winners)
      throws RequestRefusedException {
    return core.state.sumWinners(
        SumWinnersRequest.newBuilder()
            .setJob(job)
            .addAllWinners(List.of(winners))
            .setFromPartition(partition)
            .build(),
        core.nowMs);
  }

  /** A chunk of a partition; the map that is bound to it never commits. */
  private long chunk(int partition) throws RequestRefusedException {
    return core.bind(JOB, 1000, partition).getChunk();
  }

  private PartitionManifest wroteThere(int partition) throws RequestRefusedException {
    return wrote(partition, chunk(partition));
  }

  @Test
  void addsUpWhatWinnersWroteAndNamesThoseThatAreNotKnown() throws RequestRefusedException {
    core.commit(JOB, 0, 0, wroteThere(1), wroteThere(39));
    core.commit(JOB, 0, 1, wroteThere(2));
    core.commit(JOB, 1, 0, wroteThere(1));
    core.commit(JOB, 2, 0);

    SumWinnersResponse sums = sum(JOB, 7, 0, 1, 0, 0, 0, 2, 0, 3, 2);

    assertThat(sums.getKnown()).isEqualTo(3);
    assertThat(sums.getUnknownList()).containsExactly(7, 0, 3, 2);
    assertThat(sums.getRecordsList()).hasSize(PARTITIONS);
    assertThat(sums.getRecords(0)).isZero();
    assertThat(sums.getRecords(1)).isEqualTo(20);
    assertThat(sums.getRawBytes(1)).isEqualTo(2000);
    assertThat(sums.getRecordBytes(1)).isEqualTo(1800);
    assertThat(sums.getChecksums(1)).isEqualTo(2 * CHECKSUM);
    assertThat(sums.getRecords(2)).as("of a loser").isZero();
    assertThat(sums.getRawBytes(39)).isEqualTo(1000);
    assertThat(sums.getChecksums(39)).isEqualTo(CHECKSUM);
  }

  @Test
  void withoutWinnersTheAttemptCountsThatCommittedLast() throws RequestRefusedException {
    assertThat(sum(JOB).getKnown()).isZero();
    assertThat(sum(JOB).getRecordsList()).hasSize(PARTITIONS).containsOnly(0L);
    core.commit(JOB, 0, 3, wroteThere(1));
    core.commit(JOB, 1, 0, wroteThere(1));
    core.commit(JOB, 0, 2, wroteThere(5));
    SumWinnersResponse sums = sum(JOB);
    assertThat(sums.getKnown()).isEqualTo(2);
    assertThat(sums.getUnknownList()).isEmpty();
    assertThat(sums.getRecords(1)).isEqualTo(10);
    assertThat(sums.getRecords(5)).isEqualTo(10);
  }

  @Test
  void whatAnEarlierAttemptHoldsCountsForTheLaterOne() throws RequestRefusedException {
    core.commit(JOB, 0, 0, wroteThere(1), wroteThere(2));
    core.commit(JOB, 0, 1, wrote(1).toBuilder().setHeldBy(1).build());
    SumWinnersResponse sums = sum(JOB, 0, 1);
    assertThat(sums.getRawBytes(1)).isEqualTo(1000);
    assertThat(sums.getChecksums(1)).isEqualTo(CHECKSUM);
    assertThat(sums.getRecords(2)).isZero();
  }

  @Test
  void theSumsAreThoseOfThePlansOfAllPartitions(SplittableRandom random)
      throws RequestRefusedException {
    List<Integer> winners = new ArrayList<>();
    for (int map = 0; map < 20; map++) {
      for (int attempt = 0; attempt < 2; attempt++) {
        core.commit(JOB, map, attempt, made(random));
      }
      winners.addAll(List.of(map, random.nextInt(3)));
    }
    Integer[] pairs = winners.toArray(new Integer[0]);
    SumWinnersResponse sums = sum(JOB, pairs);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      PlanPartitionResponse plan = core.plan(JOB, partition, false, pairs);
      long[] expected = new long[4];
      for (WinnerManifest winner : plan.getWinnersList()) {
        expected[0] += winner.getRecords();
        expected[1] += winner.getRawBytes();
        expected[2] += winner.getRecordBytes();
        expected[3] += winner.getChecksum();
      }
      assertThat(
              new long[] {
                sums.getRecords(partition),
                sums.getRawBytes(partition),
                sums.getRecordBytes(partition),
                sums.getChecksums(partition)
              })
          .isEqualTo(expected);
    }
  }

  /** What an attempt wrote to about half of the partitions. */
  private PartitionManifest[] made(SplittableRandom random) throws RequestRefusedException {
    List<PartitionManifest> made = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      if (random.nextBoolean()) {
        made.add(made(random, partition));
      }
    }
    return made.toArray(new PartitionManifest[0]);
  }

  /** A partition's manifest with other numbers each time, in one chunk or more. */
  private PartitionManifest made(SplittableRandom random, int partition)
      throws RequestRefusedException {
    long chunk = chunk(partition);
    PartitionManifest blocks =
        random.nextBoolean() ? wrote(partition, chunk) : wrote(partition, chunk, chunk);
    return blocks.toBuilder()
        .setRecords(random.nextInt(1 << 20))
        .setRawBytes(random.nextLong(1L << 40))
        .setRecordBytes(random.nextLong(1L << 40))
        .setChecksum(random.nextLong())
        .build();
  }

  @Test
  void manyPartitionsComeInPages() throws RequestRefusedException {
    int partitions = 70_000;
    core.create("many", partitions);
    for (int partition : new int[] {3, 65_535, 65_536, partitions - 1}) {
      long chunk = core.bind("many", 1000, partition).getChunk();
      core.commit("many", partition, 0, wrote(partition, chunk));
    }
    SumWinnersResponse first = sum("many");
    assertThat(first.getMore()).isTrue();
    assertThat(first.getRecordsList()).hasSize(65_536);
    assertThat(first.getRecords(3)).isEqualTo(10);
    assertThat(first.getChecksums(65_535)).isEqualTo(CHECKSUM);
    SumWinnersResponse second = sumFrom(65_536, "many");
    assertThat(second.getMore()).isFalse();
    assertThat(second.getRawBytesList()).hasSize(partitions - 65_536);
    assertThat(second.getRecordBytes(0)).isEqualTo(900);
    assertThat(second.getRecords(partitions - 65_536 - 1)).isEqualTo(10);
    assertThat(second.getKnown()).isEqualTo(4);
    assertRefused(
        Status.BAD_REQUEST, "partition=70000 is not in", () -> sumFrom(partitions, "many"));
    assertRefused(Status.BAD_REQUEST, "is not in", () -> sumFrom(-1, "many"));
  }

  @Test
  void refusesWhatPlansRefuse() {
    assertRefused(Status.BAD_REQUEST, "winners are no pairs", () -> sum(JOB, 1));
    assertRefused(Status.BAD_REQUEST, "two winners", () -> sum(JOB, 1, 0, 1, 1));
    assertRefused(Status.JOB_UNKNOWN, "job=job_2_2", () -> sum("job_2_2"));
  }
}
