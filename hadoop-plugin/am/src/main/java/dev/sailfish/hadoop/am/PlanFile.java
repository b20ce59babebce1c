package dev.sailfish.hadoop.am;

import dev.sailfish.format.FormatException;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The plan of a job in its staging directory. Before its first reduce task is scheduled a job's
 * plan is here, so that another attempt of the ApplicationMaster goes on with the very same one:
 * the numbers of reduce tasks that are done mean the same works. It goes with the directory.
 */
final class PlanFile {
  /** Its name in the staging directory. */
  static final String NAME = "sailfish-reduce-plan";

  private final Path file;
  private final Configuration conf;

  /**
   * @param staging the job's directory
   */
  PlanFile(Path staging, Configuration conf) {
    file = new Path(staging, NAME);
    this.conf = conf;
  }

  /**
   * Reads it.
   *
   * @return null when no plan was stored
   * @throws IOException when it cannot be read, or is no plan
   */
  ReducePlan load() throws IOException {
    FileSystem files = file.getFileSystem(conf);
    FileStatus status;
    try {
      status = files.getFileStatus(file);
    } catch (FileNotFoundException none) {
      return null;
    }
    byte[] bytes = new byte[Math.toIntExact(status.getLen())];
    try (FSDataInputStream in = files.open(file)) {
      in.readFully(bytes);
    }
    try {
      return PlanCodec.decode(bytes);
    } catch (FormatException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Stores a plan where none is: it is there as a whole, or not. */
  void store(ReducePlan plan) throws IOException {
    FileSystem files = file.getFileSystem(conf);
    Path written = file.suffix("-being-written");
    try (FSDataOutputStream out = files.create(written, true)) {
      out.write(PlanCodec.encode(plan));
      out.hsync();
    }
    if (!files.rename(written, file)) {
      throw new IOException(written + " cannot be renamed to " + file);
    }
  }
}
