package dev.sailfish.benchmarks.jobs.mapreduce;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/**
 * The reduce side of no shuffle: a reduce task gets as many records as its partition has on
 * average, in order, and all of them its own; see {@link SortedRecords}.
 */
public final class OwnWorkConsumer<K, V> implements ShuffleConsumerPlugin<K, V> {
  private Context<K, V> context;

  /** Called by reflection. */
  public OwnWorkConsumer() {}

  @Override
  public void init(Context<K, V> shuffleContext) {
    context = shuffleContext;
  }

  @Override
  public RawKeyValueIterator run() {
    Configuration configuration = context.getJobConf();
    HeavyPartitioner partitioner = new HeavyPartitioner();
    partitioner.setConf(configuration);
    context.getCopyPhase().complete();
    return new SortedRecords(
        configuration.getLong(SyntheticInputFormat.SEED, 1),
        configuration.getLong(SyntheticInputFormat.RECORDS, 0),
        partitioner,
        context.getReduceId().getTaskID().getId(),
        KeyCheck.partitions(configuration));
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
