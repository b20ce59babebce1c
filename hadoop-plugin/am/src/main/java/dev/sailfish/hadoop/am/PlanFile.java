package dev.sailfish.hadoop.am;

import dev.sailfish.format.FormatException;
import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;

/**
 * The plan of a job as a file, which only the job's user may read: it has keys in it.
 *
 * <ul>
 *   <li>In the staging directory it is before the first reduce task is scheduled, so that another
 *       attempt of the ApplicationMaster goes on with the very same one: the numbers of reduce
 *       tasks that are done mean the same works, and so does the job's lineage record. Where there
 *       is neither, it makes its own. It goes with the directory.
 *   <li>A copy of it for people, where the configuration says so, stays.
 * </ul>
 */
public final class PlanFile {
  /** Its name in the staging directory. */
  static final String NAME = ProgramName.STAGED_PLAN;

  private static final FsPermission MODE = new FsPermission((short) 0600);

  private final Path file;
  private final Configuration conf;

  private PlanFile(Path file, Configuration conf) {
    this.file = file;
    this.conf = conf;
  }

  /**
   * The one that counts.
   *
   * @param staging the job's directory
   */
  public static PlanFile in(Path staging, Configuration conf) {
    return new PlanFile(new Path(staging, NAME), conf);
  }

  /**
   * The copy; null when none is to be kept.
   *
   * @param job its id, {@code job_1_1}
   */
  public static PlanFile copy(String job, JobConf conf) {
    String directory = SailfishJob.keys(conf).get(JobKey.REDUCE_WORK_PLANS);
    return directory.isEmpty() ? null : new PlanFile(new Path(directory, job + ".plan"), conf);
  }

  /**
   * Reads it.
   *
   * @return null when no plan was stored
   * @throws IOException when it cannot be read, or is no plan
   */
  public ReducePlan load() throws IOException {
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

  /**
   * Stores a plan where none is: it is there as a whole, or not. Two attempts of the
   * ApplicationMaster may do so at a time, when one is taken for dead and is not: the first one's
   * counts.
   *
   * @return the plan that is there
   */
  ReducePlan store(ReducePlan plan) throws IOException {
    FileSystem files = file.getFileSystem(conf);
    Path written = file.suffix("-being-written");
    try (FSDataOutputStream out = FileSystem.create(files, written, MODE)) {
      out.write(PlanCodec.encode(plan));
      out.hsync();
    }
    if (!files.exists(file) && files.rename(written, file)) {
      return plan;
    }
    ReducePlan first = load();
    if (first == null) {
      throw new IOException(written + " cannot be renamed to " + file);
    }
    files.delete(written, false);
    return first;
  }

  /**
   * Removes what an earlier attempt of the ApplicationMaster has stored, unless a reduce task of it
   * is done, or the job's record may have it: it was made of what maps had written that may have
   * run again since.
   *
   * @param done tasks that do not run again; null: none
   */
  void removeUnlessUsed(Map<TaskId, ?> done) throws IOException {
    boolean anyReduce =
        done != null
            && done.keySet().stream().anyMatch(task -> task.getTaskType() == TaskType.REDUCE);
    Path claim = new Path(file.getParent(), ProgramName.STAGED_CLAIM);
    if (!anyReduce && !claim.getFileSystem(conf).exists(claim)) {
      remove();
    }
  }

  /** Removes it, if it is there. */
  void remove() throws IOException {
    file.getFileSystem(conf).delete(file, false);
  }

  /** Where it is, or would be. */
  @Override
  public String toString() {
    return file.toString();
  }
}
