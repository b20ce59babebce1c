package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.hadoop.lineage.wire.OrderedInput;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
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
  /** By their attempts. */
  private static final Map<String, OrderedTask> TASKS = new HashMap<>();

  private final Map<Integer, OrderedOutput> outputs = new HashMap<>();
  private final Map<String, Long> inputs = new HashMap<>();
  private final Map<String, Overlay> overlays = new HashMap<>();
  private int created;

  /**
   * @param isMap whether it is a map task
   * @param task its number
   */
  OrderedTask(RecomputeOrder order, boolean isMap, int task) {
    for (OrderedOutput output : order.getOutputsList()) {
      if (output.getMap() == isMap && output.getTask() == task) {
        outputs.put(output.getFile(), output);
      }
    }
    for (OrderedInput input : order.getInputsList()) {
      inputs.put(name(new Path(input.getPath())), input.getFid());
    }
  }

  /**
   * The one of a task of this process. A container runs one attempt; a program of its own making
   * that does not know the task's configuration is that one, too.
   *
   * @param conf as the task has it
   */
  static OrderedTask of(Configuration conf) throws IOException {
    String attempt = conf.get(MRJobConfig.TASK_ATTEMPT_ID);
    synchronized (TASKS) {
      OrderedTask known = TASKS.get(attempt);
      if (known == null && attempt == null && TASKS.size() == 1) {
        known = TASKS.values().iterator().next();
      }
      if (known == null) {
        known = read(attempt, conf);
        TASKS.put(attempt, known);
      }
      return known;
    }
  }

  private static OrderedTask read(String attempt, Configuration conf) throws IOException {
    RecomputeOrder order = OrderFile.read(conf);
    if (attempt == null) {
      throw new IOException(
          "only tasks recompute lost files, and there is no " + MRJobConfig.TASK_ATTEMPT_ID);
    }
    TaskAttemptID id = TaskAttemptID.forName(attempt);
    return new OrderedTask(order, id.getTaskType() == TaskType.MAP, id.getTaskID().getId());
  }

  /** The lost file that the next created file is; one without an id: it is none. */
  synchronized OrderedOutput next() {
    return outputs.getOrDefault(created++, OrderedOutput.getDefaultInstance());
  }

  /** The file that a path of a store meant when the job ran first; 0: it is no recorded input. */
  long input(Path path) {
    return inputs.getOrDefault(name(path), 0L);
  }

  /** The same for all that name the same file, with an empty authority or without one. */
  private static String name(Path path) {
    URI uri = path.toUri();
    return Objects.toString(uri.getAuthority(), "") + uri.getPath();
  }

  /** What the attempt has done to a store. */
  synchronized Overlay overlay(String authority) {
    return overlays.computeIfAbsent(authority, key -> new Overlay());
  }
}
