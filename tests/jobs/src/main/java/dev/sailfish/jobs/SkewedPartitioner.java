package dev.sailfish.jobs;

import org.apache.hadoop.mapreduce.Partitioner;

/** Gives three of four keys to the last partition, and may leave others empty. */
public final class SkewedPartitioner extends Partitioner<Object, Object> {
  /** For Hadoop's reflection. */
  public SkewedPartitioner() {}

  @Override
  public int getPartition(Object key, Object value, int partitions) {
    return partition(key, partitions);
  }

  /** Follows from the key alone. */
  static int partition(Object key, int partitions) {
    int hash = key.hashCode() & Integer.MAX_VALUE;
    return hash % 4 == 0 ? hash / 4 % partitions : partitions - 1;
  }
}
