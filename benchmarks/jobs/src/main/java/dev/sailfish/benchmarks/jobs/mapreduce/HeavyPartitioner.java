package dev.sailfish.benchmarks.jobs.mapreduce;

import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BinaryComparable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Partitioner;

/**
 * By the hash of the key, as Hadoop's own, but that the first partitions get nine times what the
 * others do.
 */
public final class HeavyPartitioner extends Partitioner<BinaryComparable, Writable>
    implements Configurable {
  static final String HEAVY = "partitioned.sort.heavy";
  private static final int TIMES = 9;

  private Configuration configuration;
  private int heavy;

  @Override
  public void setConf(Configuration conf) {
    configuration = conf;
    heavy = conf.getInt(HEAVY, 0);
  }

  @Override
  public Configuration getConf() {
    return configuration;
  }

  @Override
  public int getPartition(BinaryComparable key, Writable value, int partitions) {
    int all = Math.min(heavy, partitions);
    int share = (key.hashCode() & Integer.MAX_VALUE) % shares(partitions);
    return share < all * TIMES ? share / TIMES : share - all * (TIMES - 1);
  }

  /** Into how many equal shares keys fall: a partition has one of them, or nine. */
  int shares(int partitions) {
    return firstShare(partitions, partitions);
  }

  /** The first share of a partition; those of the next one follow its own. */
  int firstShare(int partition, int partitions) {
    return partition + Math.min(Math.min(heavy, partitions), partition) * (TIMES - 1);
  }
}
