package dev.sailfish.hadoop.auto;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;

/**
 * A reduce task on its way from the ApplicationMaster to its JVM: stock's, with its work as the
 * extra data that Hadoop sends along and never uses itself. There it arrives as a plain {@link
 * ReduceTask}.
 */
public final class RemoteWorkTask extends ReduceTask {
  private RemoteWorkTask() {}

  /**
   * Gives a task its work.
   *
   * @param stock as stock would send it
   * @param work as the task decodes it
   */
  public static Task of(Task stock, byte[] work) {
    RemoteWorkTask task = copy(stock);
    task.setConf(stock.getConf());
    task.extraData = new BytesWritable(work);
    return task;
  }

  /** The work that a task brings; empty when stock made it. */
  public static byte[] workOf(Task task) {
    return copy(task).extraData.copyBytes();
  }

  private static RemoteWorkTask copy(Task stock) {
    RemoteWorkTask task = new RemoteWorkTask();
    DataOutputBuffer written = new DataOutputBuffer();
    DataInputBuffer read = new DataInputBuffer();
    try {
      stock.write(written);
      read.reset(written.getData(), written.getLength());
      task.readFields(read);
    } catch (IOException e) {
      throw new UncheckedIOException("memory to memory: " + stock.getTaskID(), e);
    }
    return task;
  }
}
