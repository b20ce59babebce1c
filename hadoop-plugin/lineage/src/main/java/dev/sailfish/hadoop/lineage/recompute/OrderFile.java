package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import dev.sailfish.lineage.hadoop.LineageFileSystem;
import dev.sailfish.lineage.hadoop.LineageFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * The file that says what a job recomputes, and the keys by which its containers find it: a file of
 * the distributed cache, in their working directory.
 */
public final class OrderFile {
  /** Key: the file's path in containers. Only jobs that recompute have it. */
  public static final String KEY = "sailfish.lineage.recompute.order";

  /** Its name in the working directory. */
  public static final String NAME = "sailfish-recompute-order";

  private static final String FILE_SYSTEM = "fs.lineage.impl";
  private static final String CONTEXT = "fs.AbstractFileSystem.lineage.impl";

  private OrderFile() {}

  /** Has the tasks of a job recompute what the file says. */
  public static void apply(Configuration conf) {
    conf.set(KEY, NAME);
    conf.set(FILE_SYSTEM, RecomputeFileSystem.class.getName());
    conf.set(CONTEXT, RecomputeFs.class.getName());
  }

  /** Whether a job recomputes. */
  public static boolean isIn(Configuration conf) {
    return conf.get(KEY) != null;
  }

  /**
   * Has this process, which is none of the job's tasks, see the store as it is.
   *
   * @param conf of this process
   */
  public static void seeTheStore(Configuration conf) {
    conf.set(FILE_SYSTEM, LineageFileSystem.class.getName());
    conf.set(CONTEXT, LineageFs.class.getName());
  }

  /** Reads it, in a container of the job. */
  public static RecomputeOrder read(Configuration conf) throws IOException {
    String name = conf.get(KEY);
    if (name == null) {
      throw new IOException(
          "this file system is for tasks of a job that recomputes lost files, and %s is not set: %s=%s"
              .formatted(KEY, FILE_SYSTEM, LineageFileSystem.class.getName()));
    }
    return RecomputeOrder.parseFrom(Files.readAllBytes(Path.of(name)));
  }
}
