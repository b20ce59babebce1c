package dev.sailfish.benchmarks.jobs.mapreduce;

import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BinaryComparable;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;

/**
 * Checks the keys of a reduce task's groups: that they ascend within each partition, that
 * partitions ascend, and that each is one of the task's own: that of its number, or those that a
 * plan of the reduce work says. Not thread-safe.
 */
final class KeyCheck {
  private static final String PARTITIONS = "partitioned.sort.partitions";

  // What a reduce task is told of its work when the data decides that; else its number counts.
  private static final String FIRST_PARTITION = "sailfish.reduce.work.first.partition";
  private static final String LAST_PARTITION = "sailfish.reduce.work.last.partition";

  private final HeavyPartitioner partitioner = new HeavyPartitioner();
  private final int partitions;
  private final int lastPartition;
  private int partition;
  private byte[] previousKey = new byte[SyntheticRecords.KEY_BYTES];
  private int previousLength;
  private boolean first = true;

  /** For the reduce task of this context. */
  KeyCheck(TaskInputOutputContext<?, ?, ?, ?> context) {
    Configuration configuration = context.getConfiguration();
    partitioner.setConf(configuration);
    partitions = partitions(configuration);
    int own = context.getTaskAttemptID().getTaskID().getId();
    partition = configuration.getInt(FIRST_PARTITION, own);
    lastPartition = configuration.getInt(LAST_PARTITION, own);
  }

  /** Says how many partitions the job asks for: tasks may be more or fewer. */
  static void setPartitions(Configuration configuration, int partitions) {
    configuration.setInt(PARTITIONS, Math.max(1, partitions));
  }

  /** What was said of them. */
  static int partitions(Configuration configuration) {
    return configuration.getInt(PARTITIONS, 1);
  }

  /** Checks the key of the next group; counts what is wrong with it. */
  void next(BinaryComparable key, TaskInputOutputContext<?, ?, ?, ?> context) {
    byte[] bytes = key.getBytes();
    int length = key.getLength();
    int found = partitioner.getPartition(key, null, partitions);
    if (found < partition || found > lastPartition) {
      context.getCounter(Check.WRONG_PARTITION).increment(1);
    }
    first |= found > partition;
    if (!first && Arrays.compareUnsigned(previousKey, 0, previousLength, bytes, 0, length) >= 0) {
      context.getCounter(Check.OUT_OF_ORDER).increment(1);
    }
    first = false;
    partition = found;
    if (previousKey.length < length) {
      previousKey = new byte[2 * length];
    }
    System.arraycopy(bytes, 0, previousKey, 0, length);
    previousLength = length;
  }

  /** The partition of the last key. */
  int partition() {
    return partition;
  }
}
