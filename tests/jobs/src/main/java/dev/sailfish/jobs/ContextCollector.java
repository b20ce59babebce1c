package dev.sailfish.jobs;

import java.io.IOException;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;

/** Where a task's records go: the new API's context, as the old API's collector. */
final class ContextCollector<K, V> implements OutputCollector<K, V> {
  private final TaskInputOutputContext<?, ?, K, V> context;

  ContextCollector(TaskInputOutputContext<?, ?, K, V> context) {
    this.context = context;
  }

  @Override
  public void collect(K key, V value) throws IOException {
    try {
      context.write(key, value);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + context.getTaskAttemptID(), e);
    }
  }
}
