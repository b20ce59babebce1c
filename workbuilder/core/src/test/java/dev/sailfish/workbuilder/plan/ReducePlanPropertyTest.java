package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.workbuilder.plan.SampleJob.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;

/** Plans made of summaries are held against the records that the summaries were made of. */
@Seeded
class ReducePlanPropertyTest {
  private static final int JOBS = 40;

  private static final KeyOrder BYTES = KeyOrder.normalized(KeyEncoding.RAW);

  /** Keys of one first letter are a group. */
  private static final GroupOrder GROUPED =
      new GroupOrder(
          BYTES,
          (left, leftAt, leftLength, right, rightAt, rightLength) ->
              (leftLength == 0 ? 0 : left[leftAt]) - (rightLength == 0 ? 0 : right[rightAt]));

  /** Longest keys first, which no bytes tell, then backwards. */
  private static final GroupOrder COMPARED =
      new GroupOrder(
          KeyOrder.of(
              (left, leftAt, leftLength, right, rightAt, rightLength) ->
                  leftLength != rightLength
                      ? rightLength - leftLength
                      : Arrays.compareUnsigned(
                          right,
                          rightAt,
                          rightAt + rightLength,
                          left,
                          leftAt,
                          leftAt + leftLength)),
          null);

  /** Backwards, and keys of one first letter are a group. */
  private static final GroupOrder GROUPED_BACKWARDS =
      new GroupOrder(
          KeyOrder.of(
              (left, leftAt, leftLength, right, rightAt, rightLength) ->
                  BYTES.compare(right, rightAt, rightLength, left, leftAt, leftLength)),
          GROUPED.grouping());

  /** The first letter only: keys of other bytes are equal. */
  private static final GroupOrder COARSE = new GroupOrder(KeyOrder.of(GROUPED.grouping()), null);

  @RepeatedTest(8)
  void keysOfOtherBytesAreEqual(SplittableRandom random) {
    check(random, COARSE, 1);
  }

  @RepeatedTest(8)
  void keysAreGroups(SplittableRandom random) {
    check(random, new GroupOrder(BYTES, null), 0);
  }

  @RepeatedTest(8)
  void groupsAreRowsOfKeys(SplittableRandom random) {
    check(random, GROUPED, 0);
  }

  @RepeatedTest(8)
  void keysHaveAComparator(SplittableRandom random) {
    check(random, COMPARED, 0);
  }

  @RepeatedTest(8)
  void keysHaveAComparatorAndGroupsAreRowsOfThem(SplittableRandom random) {
    check(random, GROUPED_BACKWARDS, 0);
  }

  /** The same order for a planner, which must not show it keys that an index has cut. */
  private static GroupOrder guarded(GroupOrder order) {
    KeyComparator comparator = order.keys().comparator();
    return new GroupOrder(
        comparator == null ? order.keys() : KeyOrder.of(guarded(comparator)),
        order.grouping() == null ? null : guarded(order.grouping()));
  }

  private static KeyComparator guarded(KeyComparator comparator) {
    return (left, leftAt, leftLength, right, rightAt, rightLength) -> {
      assertThat(Math.max(leftLength, rightLength)).isLessThan(RunDescriptor.MAX_KEY_LENGTH);
      return comparator.compare(left, leftAt, leftLength, right, rightAt, rightLength);
    };
  }

  private static void check(SplittableRandom random, GroupOrder order, int shortestKey) {
    for (int i = 0; i < JOBS; i++) {
      SampleJob job = new SampleJob(random, order::compare, shortestKey);
      List<PartitionData> data = job.data();
      WorkTarget target = WorkTarget.given(1 + random.nextLong(1 + job.winnerBytes()) / 3);
      int limit = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(20);
      ReducePolicy policy =
          new ReducePolicy(target, limit, random.nextInt(8) > 0, random.nextInt(4) > 0);
      ReducePlan plan = ReducePlanner.plan(data, guarded(order), policy);
      assertThat(plan.partitions()).isEqualTo(job.partitions());
      boolean compared = order.keys().comparator() != null;
      assertThat(plan.refusals())
          .extracting(Refusal::reason)
          .allMatch(
              reason ->
                  reason.contains("no key to cut") || compared && reason.contains("too short"));
      if (policy.coalesce()) {
        assertThat(plan.works()).hasSizeLessThanOrEqualTo(limit);
      }
      for (int partition = 0; partition < job.partitions(); partition++) {
        checkRecords(job, partition, plan, order);
        checkPieces(data.get(partition), partition, plan, order);
      }
      checkWholes(plan, policy);
      assertThat(plan.rawBytes()).isEqualTo(job.winnerBytes());
      List<PartitionData> shuffled = SampleJob.shuffled(data, random.nextLong());
      assertThat(ReducePlanner.plan(shuffled, order, policy)).isEqualTo(plan);
    }
  }

  /** Each record is in one work, groups are whole, and works are in the order of the keys. */
  private static void checkRecords(
      SampleJob job, int partition, ReducePlan plan, GroupOrder order) {
    List<Sample> records = new ArrayList<>(job.of(partition));
    records.sort(Comparator.comparing(Sample::key, order::compare));
    List<ReduceWork> works = worksOf(plan, partition);
    long[] winnerBytes = new long[works.size()];
    Sample previous = null;
    int previousWork = 0;
    for (Sample record : records) {
      List<ReduceWork> holding =
          works.stream().filter(work -> holds(work, record.key(), order)).toList();
      assertThat(holding).hasSize(1);
      int work = works.indexOf(holding.get(0));
      assertThat(work).isGreaterThanOrEqualTo(previousWork);
      if (previous != null && order.sameGroup(previous.key(), record.key())) {
        assertThat(work).isEqualTo(previousWork);
      }
      winnerBytes[work] += record.wins() ? record.size() : 0;
      previous = record;
      previousWork = work;
    }
    for (int work = 0; work < winnerBytes.length; work++) {
      assertThat(winnerBytes[work]).isLessThanOrEqualTo(works.get(work).maxRawBytes());
    }
  }

  /** Pieces are within the target where there is a border; heavy keys are alone. */
  private static void checkPieces(
      PartitionData data, int partition, ReducePlan plan, GroupOrder order) {
    List<ReduceWork> works = worksOf(plan, partition);
    if (works.size() == 1) {
      return;
    }
    KeyRanks ranks = new KeyRanks(data, order);
    long target = plan.target().bytes();
    long records = 0;
    for (ReduceWork work : works) {
      int borders = 0;
      boolean heavy = false;
      for (int rank = 0; rank < ranks.count(); rank++) {
        boolean held = holds(work, ranks.firstKey(rank), order);
        borders += held ? 1 : 0;
        heavy |= held && ranks.ownBytes(rank) > target;
      }
      assertThat(work.rawBytes() <= target && !heavy || borders == 1).isTrue();
      records += work.records();
    }
    assertThat(records).isEqualTo(data.records());
  }

  /** Works of several partitions have no more than the target; works of one have its totals. */
  private static void checkWholes(ReducePlan plan, ReducePolicy policy) {
    for (ReduceWork work : plan.works()) {
      if (work.partitions() > 1) {
        assertThat(policy.coalesce()).isTrue();
        assertThat(work.rawBytes()).isLessThanOrEqualTo(plan.target().bytes());
      }
      assertThat(work.isWhole() || policy.split()).isTrue();
      assertThat(work.rawBytes()).isLessThanOrEqualTo(work.maxRawBytes());
    }
  }

  private static List<ReduceWork> worksOf(ReducePlan plan, int partition) {
    return plan.works().stream()
        .filter(work -> work.firstPartition() <= partition && partition <= work.lastPartition())
        .toList();
  }

  private static boolean holds(ReduceWork work, byte[] key, GroupOrder order) {
    return (work.from() == null || !order.isBefore(key, work.from()))
        && (work.to() == null || order.isBefore(key, work.to()));
  }

  @RepeatedTest(8)
  void ownBytesAreReallyThere(SplittableRandom random) {
    for (GroupOrder order :
        List.of(new GroupOrder(BYTES, null), GROUPED, COMPARED, GROUPED_BACKWARDS, COARSE)) {
      SampleJob job = new SampleJob(random, order::compare, 1);
      List<PartitionData> data = job.data();
      for (int partition = 0; partition < job.partitions(); partition++) {
        List<Sample> records = job.of(partition);
        long all = records.stream().mapToLong(Sample::size).sum();
        PartitionData unscaled =
            new PartitionData(records.size(), all, data.get(partition).chunks());
        KeyRanks ranks = new KeyRanks(unscaled, order);
        for (int rank = 0; rank < ranks.count(); rank++) {
          byte[] first = ranks.firstKey(rank);
          long there =
              records.stream()
                  .filter(record -> first != null && order.sameGroup(record.key(), first))
                  .mapToLong(Sample::size)
                  .sum();
          assertThat(ranks.ownBytes(rank)).isLessThanOrEqualTo(there);
        }
      }
    }
  }

  @RepeatedTest(8)
  void fixedIsOneWorkForEachPartition(SplittableRandom random) {
    SampleJob job = new SampleJob(random, Arrays::compareUnsigned, 0);
    ReducePlan plan =
        ReducePlanner.plan(job.data(), new GroupOrder(BYTES, null), ReducePolicy.FIXED);
    assertThat(plan.works()).hasSize(job.partitions());
    for (ReduceWork work : plan.works()) {
      assertThat(work.isWhole()).isTrue();
      assertThat(work.firstPartition()).isEqualTo(work.number());
      assertThat(work.lastPartition()).isEqualTo(work.number());
      assertThat(work.rawBytes()).isEqualTo(job.winnerBytes(work.number()));
    }
  }
}
