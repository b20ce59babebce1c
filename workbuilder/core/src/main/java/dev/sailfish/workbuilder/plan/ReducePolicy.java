package dev.sailfish.workbuilder.plan;

import java.util.Objects;

/**
 * How reduce work is to be made of partitions. What is refused for single partitions is in their
 * {@link PartitionData}.
 *
 * @param target how much one reduce work shall have
 * @param maxWorks the most reduce works; the target is raised until there are no more, as far as
 *     partitions may be read together
 * @param split whether a partition may be split
 * @param coalesce whether several partitions may be one reduce work
 */
public record ReducePolicy(WorkTarget target, int maxWorks, boolean split, boolean coalesce) {
  /**
   * Exactly the job's own partitions, each a reduce work: what a job gets that asks for nothing.
   */
  public static final ReducePolicy FIXED =
      new ReducePolicy(
          new WorkTarget(Long.MAX_VALUE, "fixed: as many as the job has partitions"),
          Integer.MAX_VALUE,
          false,
          false);

  /** Checks the limit. */
  public ReducePolicy {
    Objects.requireNonNull(target, "target");
    if (maxWorks < 1) {
      throw new IllegalArgumentException("reduce works=" + maxWorks + " must be at least 1");
    }
  }

  /** Splits and coalesces as the data asks for. */
  public static ReducePolicy auto(WorkTarget target, int maxWorks) {
    return new ReducePolicy(target, maxWorks, true, true);
  }
}
