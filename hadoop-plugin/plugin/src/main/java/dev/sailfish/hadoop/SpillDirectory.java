package dev.sailfish.hadoop;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;

/**
 * Where a reduce task has the runs for which it has no memory: one of the node's local directories,
 * which Hadoop chooses as it does for its own files, by the room that they have.
 */
final class SpillDirectory {
  /** Hadoop chooses for a file; the runs' own names are made where they are written. */
  private static final String ANY_FILE = "run";

  private SpillDirectory() {}

  /**
   * Chooses one.
   *
   * @throws IOException when none can be written
   */
  static Path of(JobConf job) throws IOException {
    if (job.getTrimmedStrings(MRConfig.LOCAL_DIR).length == 0) {
      return Path.of(System.getProperty("java.io.tmpdir"));
    }
    LocalDirAllocator directories = new LocalDirAllocator(MRConfig.LOCAL_DIR);
    return Path.of(directories.getLocalPathForWrite(ANY_FILE, job).getParent().toUri().getPath());
  }
}
