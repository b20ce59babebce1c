package dev.sailfish.jobs;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Partitioner;

/** {@link SkewedPartitioner} of the old API. */
public final class OldSkewedPartitioner implements Partitioner<Object, Object> {
  /** For Hadoop's reflection. */
  public OldSkewedPartitioner() {}

  @Override
  public void configure(JobConf job) {
    // A key's partition follows from the key alone.
  }

  @Override
  public int getPartition(Object key, Object value, int partitions) {
    return SkewedPartitioner.partition(key, partitions);
  }
}
