package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.auto.RemoteWorkTask;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ReduceTaskAttemptImpl;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.v2.app.job.impl.ReduceTaskImpl;
import org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl;
import org.apache.hadoop.security.token.Token;

/** A reduce task with a work of the plan: stock's, whose attempts bring the work along. */
final class WorkTask extends ReduceTaskImpl {
  private final int maps;
  private final byte[] work;

  /**
   * @param number of the work in its plan, and of the reduce task
   * @param conf of the job
   * @param jobFile where tasks find the job's configuration
   * @param maps how many the job has
   * @param work as the task decodes it
   */
  WorkTask(
      JobParts parts,
      int number,
      JobConf conf,
      Path jobFile,
      Token<JobTokenIdentifier> token,
      int maps,
      byte[] work) {
    super(
        parts.job(),
        number,
        parts.events(),
        jobFile,
        conf,
        maps,
        parts.listener(),
        token,
        parts.credentials(),
        parts.clock(),
        parts.attempt().getAttemptId(),
        parts.metrics(),
        parts.context());
    this.maps = maps;
    this.work = work;
  }

  @Override
  protected TaskAttemptImpl createAttempt() {
    return new Attempt();
  }

  private final class Attempt extends ReduceTaskAttemptImpl {
    Attempt() {
      super(
          WorkTask.this.getID(),
          nextAttemptNumber,
          WorkTask.this.eventHandler,
          WorkTask.this.jobFile,
          WorkTask.this.partition,
          maps,
          WorkTask.this.conf,
          WorkTask.this.taskAttemptListener,
          WorkTask.this.jobToken,
          WorkTask.this.credentials,
          WorkTask.this.clock,
          WorkTask.this.appContext);
    }

    @Override
    public Task createRemoteTask() {
      return RemoteWorkTask.of(super.createRemoteTask(), work);
    }
  }
}
