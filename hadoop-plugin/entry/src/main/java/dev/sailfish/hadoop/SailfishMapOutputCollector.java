package dev.sailfish.hadoop;

import java.io.IOException;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The map side of the shuffle, as {@code mapreduce.job.map.output.collector.class} names it. All is
 * done by {@code IfileMapOutputCollector}; where that cannot be loaded, the map fails with a
 * sentence that says which versions are needed.
 */
public final class SailfishMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  private MapOutputCollector<K, V> collector;

  /** Called by Hadoop by reflection. */
  public SailfishMapOutputCollector() {}

  @Override
  @SuppressWarnings("unchecked")
  public void init(Context context) throws IOException, ClassNotFoundException {
    try {
      Class<?> type = Class.forName("dev.sailfish.hadoop.IfileMapOutputCollector");
      collector =
          (MapOutputCollector<K, V>) ReflectionUtils.newInstance(type, context.getJobConf());
      collector.init(context);
    } catch (LinkageError e) {
      throw new IllegalStateException(Requirements.explain(e), e);
    }
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    collector.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    collector.flush();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    collector.close();
  }
}
