package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.PrintableKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides the reduce work of a job when all maps have a winner. A pure function: the same input,
 * with the chunks of a partition in any order, gives the same plan.
 *
 * <ol>
 *   <li>Partitions with more than the target are cut by {@link PieceCutter} at keys of their index,
 *       or stay whole, with the reason.
 *   <li>Whole partitions that follow each other are put together up to the target.
 *   <li>While there are more works than allowed, the target is raised.
 * </ol>
 */
public final class ReducePlanner {
  private static final int PRECISION = 256;
  private static final int[] WHOLE = {};

  private final List<PartitionData> partitions;
  private final ReducePolicy policy;
  private final KeyRanks[] ranks;
  private final int[][] starts;
  private final List<Refusal> refusals = new ArrayList<>();

  private ReducePlanner(List<PartitionData> partitions, GroupOrder order, ReducePolicy policy) {
    this.partitions = partitions;
    this.policy = policy;
    ranks = new KeyRanks[partitions.size()];
    starts = new int[partitions.size()][];
    for (int partition = 0; policy.split() && partition < ranks.length; partition++) {
      if (SummaryGrain.isNeeded(rawBytes(partition), policy.target())) {
        ranks[partition] = rank(partition, order);
      }
    }
  }

  /**
   * Makes the plan.
   *
   * @param partitions of the job, all, by number; a comparator of {@code order} sees their keys on
   *     the caller's thread
   */
  public static ReducePlan plan(
      List<PartitionData> partitions, GroupOrder order, ReducePolicy policy) {
    ReducePlanner planner = new ReducePlanner(partitions, order, policy);
    WorkTarget target = planner.fit();
    long bytes = target.bytes();
    planner.refusals.removeIf(refusal -> planner.rawBytes(refusal.partition()) <= bytes);
    return new ReducePlan(
        target, planner.works(bytes), planner.refusals, planner.heavyKeys(bytes), planner.totals());
  }

  private List<PartitionTotal> totals() {
    List<PartitionTotal> totals = new ArrayList<>();
    for (int partition = 0; partition < starts.length; partition++) {
      if (starts[partition].length > 2) {
        PartitionData data = partitions.get(partition);
        totals.add(
            new PartitionTotal(partition, data.records(), data.recordBytes(), data.checksum()));
      }
    }
    return totals;
  }

  /** Reads the index of a partition that is to be split; null, and a refusal, if it cannot be. */
  private KeyRanks rank(int partition, GroupOrder order) {
    PartitionData data = partitions.get(partition);
    KeyRanks ranked = null;
    String reason = data.keepWhole();
    for (ChunkIndex chunk : data.chunks()) {
      if (reason == null && chunk.entries() == null) {
        reason = "the index of chunk " + chunk.chunk() + " is missing";
      }
    }
    try {
      ranked = reason == null ? new KeyRanks(data, order) : null;
    } catch (RuntimeException | LinkageError e) { // whatever the job's comparators throw
      reason = "its keys cannot be put in order: " + e;
    }
    if (ranked != null && ranked.count() <= 1) {
      reason = "its index has no key to cut at";
    } else if (ranked != null && order.keys().comparator() != null && ranked.isCoarse()) {
      reason = "its sorted blocks are too short to be read by ranges of keys";
      ranked = null;
    }
    if (reason != null) {
      refusals.add(new Refusal(partition, reason));
    }
    return ranked;
  }

  /** The target of the policy, or about the least above it that keeps to the most works. */
  private WorkTarget fit() {
    WorkTarget target = policy.target();
    if (countWorks(target.bytes()) <= policy.maxWorks()) {
      return target;
    }
    long low = target.bytes() + 1;
    long high = Math.max(low, partitions.stream().mapToLong(PartitionData::rawBytes).sum());
    while (low + low / PRECISION < high) {
      long middle = low + (high - low) / 2;
      if (countWorks(middle) <= policy.maxWorks()) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    String outcome =
        countWorks(high) <= policy.maxWorks() ? "" : ", which partitions that stay apart exceed";
    return new WorkTarget(
        high,
        "%s for at most %d reduce tasks%s; before: %s"
            .formatted(PlanText.size(high), policy.maxWorks(), outcome, target.reason()));
  }

  /** Cuts for a target, and counts the works that come of it. */
  private int countWorks(long target) {
    int works = 0;
    for (int partition = 0; partition < starts.length; partition++) {
      boolean cut = ranks[partition] != null && rawBytes(partition) > target;
      starts[partition] = cut ? PieceCutter.cut(ranks[partition], target) : WHOLE;
    }
    for (int partition = 0; partition < starts.length; partition = spanEnd(partition, target)) {
      works += Math.max(1, starts[partition].length - 1);
    }
    return works;
  }

  /**
   * The end of the partitions that come into the same work as {@code first}, exclusive. One that
   * was cut has more than the target, and so is alone.
   */
  private int spanEnd(int first, long target) {
    int end = first + 1;
    long bytes = rawBytes(first);
    while (mayJoin(first)
        && end < starts.length
        && mayJoin(end)
        && bytes + rawBytes(end) <= target) {
      bytes += rawBytes(end++);
    }
    return end;
  }

  private boolean mayJoin(int partition) {
    return policy.coalesce() && partitions.get(partition).keepApart() == null;
  }

  private long rawBytes(int partition) {
    return partitions.get(partition).rawBytes();
  }

  private List<ReduceWork> works(long target) {
    List<ReduceWork> works = new ArrayList<>();
    for (int partition = 0; partition < starts.length; ) {
      int end = spanEnd(partition, target);
      if (starts[partition].length > 2) {
        addPieces(works, partition, target);
      } else {
        long records = 0;
        long bytes = 0;
        for (PartitionData data : partitions.subList(partition, end)) {
          records += data.records();
          bytes += data.rawBytes();
        }
        works.add(
            new ReduceWork(works.size(), partition, end - 1, 0, null, null, records, bytes, bytes));
      }
      partition = end;
    }
    return works;
  }

  private void addPieces(List<ReduceWork> works, int partition, long target) {
    KeyRanks ranked = ranks[partition];
    int[] cuts = starts[partition];
    long[] most = ranked.mostBytes(cuts);
    byte[] from = null;
    for (int piece = 0; piece < cuts.length - 1; piece++) {
      int start = cuts[piece];
      int end = cuts[piece + 1];
      boolean last = piece == cuts.length - 2;
      byte[] to = last ? null : ranked.border(end, target);
      works.add(
          new ReduceWork(
              works.size(),
              partition,
              partition,
              piece,
              from,
              to,
              ranked.records(start, end),
              ranked.bytes(start, end),
              most[piece]));
      from = to;
    }
  }

  private List<HeavyKey> heavyKeys(long target) {
    List<HeavyKey> heavy = new ArrayList<>();
    for (int partition = 0; partition < ranks.length; partition++) {
      KeyRanks ranked = ranks[partition];
      for (int rank = 0; ranked != null && rank < ranked.count(); rank++) {
        if (ranked.ownBytes(rank) > target) {
          String key = PrintableKey.of(ranked.firstKey(rank));
          heavy.add(new HeavyKey(partition, key, ranked.ownBytes(rank)));
        }
      }
    }
    return heavy;
  }
}
