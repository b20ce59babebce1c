package dev.sailfish.hadoop.lineage.record;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;

/** A job as its client has left it in a staging directory. */
final class StagedJob {
  private final String job;
  private final Configuration conf;

  /**
   * Writes it.
   *
   * @param directory that is not there
   * @param number of the job
   * @param conf of the client; not changed
   */
  StagedJob(java.nio.file.Path directory, int number, Configuration conf, InputSplit... splits)
      throws Exception {
    this.job = "1700000000000_%04d".formatted(number);
    this.conf = new Configuration(conf);
    Path staging = new Path(Files.createDirectories(directory).toUri());
    this.conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, staging.toString());
    this.conf.setInt(MRJobConfig.NUM_MAPS, splits.length);
    JobSplitWriter.createSplitFiles(staging, this.conf, staging.getFileSystem(this.conf), splits);
    try (OutputStream out = Files.newOutputStream(directory.resolve("job.xml"))) {
      this.conf.writeXml(out);
    }
  }

  /** What the record is called. */
  String name() {
    return "job_" + job;
  }

  /**
   * The store as a task attempt sees it, with a file system of its own.
   *
   * @param kind m or r
   */
  FileSystem store(URI store, String kind, int task, int attempt) throws IOException {
    Configuration own = new Configuration(conf);
    own.set(
        MRJobConfig.TASK_ATTEMPT_ID, "attempt_%s_%s_%06d_%d".formatted(job, kind, task, attempt));
    return FileSystem.newInstance(store, own);
  }

  /** Writes a file. */
  static void write(FileSystem files, String path, String text) throws IOException {
    try (FSDataOutputStream out = files.create(new Path(path), false)) {
      out.writeBytes(text);
    }
  }
}
