package dev.sailfish.workbuilder.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * All reduce work of a job, and why it is so. Immutable: works follow each other without a gap,
 * from the beginning of the first partition to the end of the last one.
 *
 * @param target that the works were made for
 * @param works in the order (partition, range), which is that of their numbers
 * @param refusals partitions that should have been split and were not, ascending
 * @param heavyKeys in the order of partitions and keys
 * @param totals of the partitions that are split, ascending
 * @param winners how many map attempts are in the totals; 0 where that is not known
 */
public record ReducePlan(
    WorkTarget target,
    List<ReduceWork> works,
    List<Refusal> refusals,
    List<HeavyKey> heavyKeys,
    List<PartitionTotal> totals,
    int winners) {
  /** Checks that all is there once. */
  public ReducePlan {
    Objects.requireNonNull(target, "target");
    works = List.copyOf(works);
    refusals = List.copyOf(refusals);
    heavyKeys = List.copyOf(heavyKeys);
    totals = List.copyOf(totals);
    ReduceWork previous = null;
    for (ReduceWork work : works) {
      if (!work.follows(previous)) {
        throw new IllegalArgumentException(work + " does not follow " + previous);
      }
      previous = work;
    }
    if (previous != null && previous.to() != null) {
      throw new IllegalArgumentException(previous + " is the last one and does not go to the end");
    }
  }

  /** A plan of which it is not known how many map attempts are in its totals. */
  public ReducePlan(
      WorkTarget target,
      List<ReduceWork> works,
      List<Refusal> refusals,
      List<HeavyKey> heavyKeys,
      List<PartitionTotal> totals) {
    this(target, works, refusals, heavyKeys, totals, 0);
  }

  /** The same, with so many map attempts in its totals. */
  public ReducePlan ofWinners(int count) {
    return new ReducePlan(target, works, refusals, heavyKeys, totals, count);
  }

  /** Exactly the job's own partitions, each a work, of which nothing is known. */
  public static ReducePlan fixed(int partitions, String reason) {
    List<ReduceWork> works = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      works.add(new ReduceWork(partition, partition, partition, 0, null, null, 0, 0, 0));
    }
    WorkTarget target = new WorkTarget(Long.MAX_VALUE, reason);
    return new ReducePlan(target, works, List.of(), List.of(), List.of());
  }

  /** How many partitions the job has. */
  public int partitions() {
    return works.isEmpty() ? 0 : works.get(works.size() - 1).lastPartition() + 1;
  }

  /** Bytes before compression of all partitions. */
  public long rawBytes() {
    return works.stream().mapToLong(ReduceWork::rawBytes).sum();
  }
}
