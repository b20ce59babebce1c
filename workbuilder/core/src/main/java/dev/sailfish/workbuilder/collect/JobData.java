package dev.sailfish.workbuilder.collect;

import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.workbuilder.plan.PartitionData;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePlanner;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import java.util.List;

/**
 * What servers told of a job at one time, and how its reduce work is to be made of it.
 *
 * @param partitions all of the job, by number
 * @param order of the job's keys
 * @param policy that indexes were read for
 * @param winners how many map attempts are in the totals
 * @param lost pairs (map, attempt) of winners whose output no server knows: it is not in the totals
 * @param unsorted chunks of partitions that may be split that are not sorted yet
 */
public record JobData(
    List<PartitionData> partitions,
    GroupOrder order,
    ReducePolicy policy,
    int winners,
    List<Integer> lost,
    int unsorted) {
  /** Takes over what the lists hold. */
  public JobData {
    partitions = List.copyOf(partitions);
    lost = List.copyOf(lost);
  }

  /** The plan; the job's comparators, if any, are called on this thread. */
  public ReducePlan plan() {
    return ReducePlanner.plan(partitions, order, policy).ofWinners(winners);
  }
}
