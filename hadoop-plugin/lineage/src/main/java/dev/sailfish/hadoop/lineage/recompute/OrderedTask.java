package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.hadoop.lineage.wire.OrderedInput;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * What one task attempt of a job that recomputes is to write. It counts the files that the attempt
 * creates, over all file systems of the process: the same count as when the outputs were recorded.
 * Thread-safe.
 */
final class OrderedTask {
  private static OrderedTask ofThisProcess;

  private final Map<Integer, Long> outputs = new HashMap<>();
  private final Map<Path, Long> inputs = new HashMap<>();
  private final Map<String, Overlay> overlays = new HashMap<>();
  private int created;

  /**
   * @param isMap whether it is a map task
   * @param task its number
   */
  OrderedTask(RecomputeOrder order, boolean isMap, int task) {
    for (OrderedOutput output : order.getOutputsList()) {
      if (output.getMap() == isMap && output.getTask() == task) {
        outputs.put(output.getFile(), output.getFid());
      }
    }
    for (OrderedInput input : order.getInputsList()) {
      inputs.put(new Path(input.getPath()), input.getFid());
    }
  }

  /**
   * The one of this process: a JVM runs one attempt.
   *
   * @param conf as the task has it
   */
  static synchronized OrderedTask ofThisProcess(Configuration conf) throws IOException {
    if (ofThisProcess == null) {
      RecomputeOrder order = OrderFile.read(conf);
      String attempt = conf.get(MRJobConfig.TASK_ATTEMPT_ID);
      if (attempt == null) {
        throw new IOException(
            "only tasks recompute lost files, and there is no " + MRJobConfig.TASK_ATTEMPT_ID);
      }
      TaskAttemptID id = TaskAttemptID.forName(attempt);
      ofThisProcess =
          new OrderedTask(order, id.getTaskType() == TaskType.MAP, id.getTaskID().getId());
    }
    return ofThisProcess;
  }

  /** The lost file that the next created file is; 0: it is none. */
  synchronized long next() {
    return outputs.getOrDefault(created++, 0L);
  }

  /** The file that a path meant when the job ran first; 0: it is no recorded input. */
  long input(Path path) {
    return inputs.getOrDefault(path, 0L);
  }

  /** What the attempt has done to a store. */
  synchronized Overlay overlay(String authority) {
    return overlays.computeIfAbsent(authority, key -> new Overlay());
  }
}
