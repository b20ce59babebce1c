package dev.sailfish.hadoop.auto;

import java.util.Objects;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;

/**
 * The grouping comparator of a reduce task that reads several partitions, one after the other: the
 * job's own, but that no group goes on from one partition to the next, as if each had a reduce task
 * of its own. ReduceTask compares each record with the one before, once, when it has moved on.
 *
 * <p>Hadoop makes it of its class, so what it needs is handed over in static fields: a JVM runs one
 * reduce task at a time. For the task's main thread.
 */
public final class PartitionBreaks implements RawComparator<Object> {
  private static RawComparator<Object> grouping;
  private static boolean isFirst;

  /** Called by Hadoop by reflection, after {@link #install}. */
  public PartitionBreaks() {
    Objects.requireNonNull(grouping, "not installed");
  }

  /** Takes the place of the job's grouping comparator in the configuration of its task. */
  @SuppressWarnings("unchecked")
  static void install(JobConf conf) {
    grouping = conf.getOutputValueGroupingComparator();
    isFirst = false;
    conf.setClass(JobContext.GROUP_COMPARATOR_CLASS, PartitionBreaks.class, RawComparator.class);
  }

  /** The task has ended: nothing here holds its classes any more. */
  static void remove() {
    grouping = null;
  }

  /**
   * To be told at each record.
   *
   * @param first whether it is the first one of a partition
   */
  static void atRecord(boolean first) {
    isFirst = first;
  }

  @Override
  public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
    return isFirst ? -1 : grouping.compare(b1, s1, l1, b2, s2, l2);
  }

  @Override
  public int compare(Object left, Object right) {
    return isFirst ? -1 : grouping.compare(left, right);
  }
}
