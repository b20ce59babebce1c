package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.hadoop.OutputRecorder;
import dev.sailfish.lineage.hadoop.TaskStore;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Has each file that a task creates be an output of the record of its job: the first task that
 * creates one makes the record. Renames keep what a file is, so that it does not matter what
 * committers do afterwards. A job of which no record can be made runs all the same; its files are
 * written through where a file system is mounted, and one line of the task's log says why. Made by
 * Java's ServiceLoader. Thread-safe.
 */
public final class JobRecorder implements OutputRecorder {
  // One in a container; several where tasks share a process.
  private final Map<String, TaskOutputs> tasks = new ConcurrentHashMap<>();

  @Override
  public FileOutput create(TaskStore store, CreateFile asked) throws IOException {
    String attempt = store.conf().get(MRJobConfig.TASK_ATTEMPT_ID);
    return tasks.computeIfAbsent(attempt, TaskOutputs::new).create(store, asked);
  }
}
