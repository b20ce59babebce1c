package dev.sailfish.hadoop.auto;

import dev.sailfish.format.FormatException;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.hadoop.KeyOrders;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.TaskWork;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * A reduce task whose work was made of the data: a range of keys of one partition, or several whole
 * partitions, which it reads one after the other. For the task's main thread.
 *
 * <p>User code finds in its configuration as many reduce tasks as there are, and
 *
 * <pre>
 *   sailfish.reduce.work.first.partition   of the partitions that the task reads
 *   sailfish.reduce.work.last.partition    inclusive
 *   sailfish.reduce.work.partitions        how many the maps have written
 * </pre>
 */
public final class PlannedReduce {
  private static final String PREFIX = "sailfish.reduce.work.";

  private final ReduceWork work;
  private final KeyRange range;
  private final Reporter reporter;
  private int partition;

  private PlannedReduce(ReduceWork work, KeyRange range, Reporter reporter) {
    this.work = work;
    this.range = range;
    this.reporter = reporter;
    partition = work.firstPartition();
  }

  /**
   * The work that a task brings, which is told to user code through its configuration.
   *
   * @param conf of the task; is changed
   * @return null when stock made the task: its work is the partition of its number
   */
  public static PlannedReduce of(Task task, JobConf conf, Reporter reporter) {
    byte[] bytes = RemoteWorkTask.workOf(task);
    if (bytes.length == 0) {
      return null;
    }
    try {
      TaskWork told = TaskWork.decode(bytes);
      ReduceWork work = told.work();
      KeyRange range =
          work.isWhole()
              ? null
              : new KeyRange(work.from(), work.to(), KeyOrders.groups(conf).grouping());
      conf.setInt(PREFIX + "partitions", conf.getNumReduceTasks());
      conf.setInt(PREFIX + "first.partition", work.firstPartition());
      conf.setInt(PREFIX + "last.partition", work.lastPartition());
      conf.setInt(MRJobConfig.NUM_REDUCES, told.works());
      if (work.partitions() > 1) {
        PartitionBreaks.install(conf);
      }
      return new PlannedReduce(work, range, reporter);
    } catch (FormatException e) {
      throw new UncheckedIOException("the ApplicationMaster's word on " + task.getTaskID(), e);
    }
  }

  /** The partition that is read now. */
  public int partition() {
    return partition;
  }

  /** The keys of it that count; null: all. */
  public KeyRange range() {
    return range;
  }

  /** To be told at each record; {@code first} of its partition. */
  public void atRecord(boolean first) {
    if (work.partitions() > 1) {
      PartitionBreaks.atRecord(first && partition > work.firstPartition());
    }
  }

  /**
   * Takes note that the current partition was read to its end, and goes on to the next one.
   *
   * @return false when there is none
   */
  public boolean advance(Imerger read) {
    long headers = read.statistics().records() * RecordDescriptor.headerLength(0, 0);
    count(WorkCounter.READ_BYTES, read.recordBytes() + headers);
    if (range != null) {
      count(WorkCounter.PIECES_READ, 1);
      count(WorkCounter.PIECE_RECORDS, read.statistics().records());
      count(WorkCounter.PIECE_BYTES, read.recordBytes());
      count(WorkCounter.PIECE_CHECKSUM, read.checksum());
    }
    if (partition == work.lastPartition()) {
      return false;
    }
    partition++;
    return true;
  }

  private void count(String name, long amount) {
    reporter.getCounter(WorkCounter.GROUP, name).increment(amount);
  }

  /** To be told when the task has read all. */
  public void ended() {
    PartitionBreaks.remove();
  }

  /** How much is done of the whole work, from 0 to 1, when so much of this partition is. */
  public float fraction(float ofPartition) {
    return (partition - work.firstPartition() + ofPartition) / work.partitions();
  }

  @Override
  public String toString() {
    String what =
        work.partitions() == 1
            ? "partition " + work.firstPartition()
            : "partitions " + work.firstPartition() + " to " + work.lastPartition();
    return work.isWhole() ? what : "piece " + work.piece() + " of " + what;
  }
}
