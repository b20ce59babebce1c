package dev.sailfish.hadoop;

import java.io.IOException;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The reduce side of the shuffle, as {@code mapreduce.job.reduce.shuffle.consumer.plugin.class}
 * names it. All is done by {@code IfileShuffleConsumer}; where that cannot be loaded, the reduce
 * fails with a sentence that says which versions are needed.
 */
public final class SailfishShuffleConsumer<K, V> implements ShuffleConsumerPlugin<K, V> {
  private ShuffleConsumerPlugin<K, V> consumer;

  /** Called by Hadoop by reflection. */
  public SailfishShuffleConsumer() {}

  @Override
  @SuppressWarnings("unchecked")
  public void init(Context<K, V> context) {
    try {
      Class<?> type = Class.forName("dev.sailfish.hadoop.IfileShuffleConsumer");
      consumer =
          (ShuffleConsumerPlugin<K, V>) ReflectionUtils.newInstance(type, context.getJobConf());
      consumer.init(context);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new IllegalStateException(Requirements.explain(e), e);
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    try {
      return consumer.run();
    } catch (LinkageError e) {
      throw new IllegalStateException(Requirements.explain(e), e);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
