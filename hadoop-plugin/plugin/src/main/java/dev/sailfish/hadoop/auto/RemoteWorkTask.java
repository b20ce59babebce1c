package dev.sailfish.hadoop.auto;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * A reduce task on its way from the ApplicationMaster to its JVM: stock's, with its work as the
 * extra data that Hadoop sends along and never uses itself. There it arrives as a plain {@link
 * ReduceTask}.
 */
public final class RemoteWorkTask extends ReduceTask {
  private RemoteWorkTask() {}

  private RemoteWorkTask(TaskAttemptID attempt, int maps) {
    super("job.xml", attempt, attempt.getTaskID().getId(), maps, 1);
  }

  /**
   * A task that is made and run in the same JVM.
   *
   * @param maps how many the job has
   * @param work as the task decodes it; empty: the partition of its number
   */
  public static Task local(TaskAttemptID attempt, int maps, byte[] work) {
    RemoteWorkTask task = new RemoteWorkTask(attempt, maps);
    task.extraData = new BytesWritable(work);
    return task;
  }

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
    RemoteWorkTask own = task instanceof RemoteWorkTask local ? local : copy(task);
    return own.extraData.copyBytes();
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
