package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.hadoop.TaskStore;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;

/** The files that one attempt of a task creates, in all stores. Thread-safe. */
final class TaskOutputs {
  private final TaskAttemptID attempt;
  private final AtomicInteger created = new AtomicInteger();
  private final Map<List<Object>, JobRecord> records = new ConcurrentHashMap<>();

  /**
   * @param attempt as attempt_1700000000000_0001_m_000000_0
   */
  TaskOutputs(String attempt) {
    this.attempt = TaskAttemptID.forName(attempt);
  }

  FileOutput create(TaskStore store, CreateFile asked) throws IOException {
    TaskType type = attempt.getTaskType();
    boolean isWork = type == TaskType.MAP || type == TaskType.REDUCE;
    if (!isWork || isStaged(store, asked)) {
      return store.client().create(asked);
    }
    JobRecord record =
        records.computeIfAbsent(store.identity(), any -> new JobRecord(attempt, store.conf()));
    int file = created.getAndIncrement();
    boolean isCreated = false;
    try {
      FileOutput output = create(store, asked, record, file);
      isCreated = true;
      return output;
    } finally {
      if (!isCreated) {
        created.compareAndSet(file + 1, file); // what did not succeed does not count
      }
    }
  }

  /** What is in the staging directory goes with it, and has no record. */
  private static boolean isStaged(TaskStore store, CreateFile asked) {
    Path staging = new Path(store.conf().get(MRJobConfig.MAPREDUCE_JOB_DIR));
    String here = store.names().apply(staging.toUri());
    return here != null && asked.getPath().startsWith(here + "/");
  }

  private FileOutput create(TaskStore store, CreateFile asked, JobRecord record, int file)
      throws IOException {
    try {
      return recorded(store, asked, record.id(store), file);
    } catch (UnrecordedException e) {
      FileOutput output = unrecorded(store, asked, e.obstacle());
      record.fail(e); // after it: a file that cannot be created at all is no matter of the record
      return output;
    }
  }

  private FileOutput recorded(TaskStore store, CreateFile asked, long id, int file)
      throws IOException {
    DependencyOutput.Builder output =
        DependencyOutput.newBuilder()
            .setIndex(attempt.getTaskID().getId())
            .setMap(attempt.getTaskType() == TaskType.MAP)
            .setFile(file);
    try {
      return store.client().create(asked.toBuilder().setDependency(id).setOutput(output).build());
    } catch (StoreRefusedException e) {
      if (isOfThePath(e.reason())) {
        throw e;
      }
      throw new UnrecordedException(RecordObstacle.OBSTACLE_REFUSED, e.getMessage(), e);
    }
  }

  /** Whether the file would be refused without a record, too. */
  private static boolean isOfThePath(Refusal.Reason reason) {
    return switch (reason) {
      case EXISTS, IS_A_DIRECTORY, NOT_A_DIRECTORY, QUOTA, UNDER_STORE -> true;
      default -> false;
    };
  }

  private static FileOutput unrecorded(TaskStore store, CreateFile asked, RecordObstacle why)
      throws IOException {
    CreateFile.Builder file = asked.toBuilder().setObstacle(why);
    WriteMode mode = asked.getWriteMode();
    if (mode == WriteMode.WRITE_AS_MOUNTED || mode == WriteMode.WRITE_MEMORY) {
      file.setWriteMode(WriteMode.WRITE_THROUGH);
      try {
        return store.client().create(file.build());
      } catch (StoreRefusedException e) {
        if (isOfThePath(e.reason())) {
          throw e;
        }
        file.setWriteMode(mode); // nothing is mounted there, or for reading alone
      }
    }
    return store.client().create(file.build());
  }
}
