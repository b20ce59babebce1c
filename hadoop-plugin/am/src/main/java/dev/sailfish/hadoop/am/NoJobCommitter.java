package dev.sailfish.hadoop.am;

import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * The ApplicationMaster's committer of a job that recomputes lost files, which are where they were:
 * there is nothing to set up, to commit or to clean up. Its tasks have the job's own committer.
 */
final class NoJobCommitter extends OutputCommitter {
  @Override
  public void setupJob(JobContext job) {}

  @Override
  public void commitJob(JobContext job) {}

  @Override
  public void abortJob(JobContext job, JobStatus.State state) {}

  @Override
  public void setupTask(TaskAttemptContext task) {}

  @Override
  public boolean needsTaskCommit(TaskAttemptContext task) {
    return false;
  }

  @Override
  public void commitTask(TaskAttemptContext task) {}

  @Override
  public void abortTask(TaskAttemptContext task) {}
}
