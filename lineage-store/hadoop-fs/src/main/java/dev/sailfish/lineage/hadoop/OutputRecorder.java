package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import java.io.IOException;

/**
 * Records how the files are made that a task of a MapReduce job creates, so that they can be made
 * again. Found by Java's ServiceLoader, once in a process that is such a task, and shared by all
 * its file systems; where there is none, nothing is recorded. Thread-safe.
 */
public interface OutputRecorder {
  /**
   * Begins a file of a task, as an output of the record of its job if there is one.
   *
   * @param store in which the file is, as the task sees it
   * @param asked how the file is to be
   * @throws IOException as {@code store.client().create(asked)} throws it; that there is no record
   *     is no reason
   */
  FileOutput create(TaskStore store, CreateFile asked) throws IOException;
}
