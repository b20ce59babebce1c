package dev.sailfish.hadoop.am.rerun;

import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.auto.ReduceMode;
import dev.sailfish.hadoop.auto.RemoteWorkTask;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.TaskWork;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Runs one reduce task of a job that has ended in this JVM: Hadoop's own ReduceTask with Sailfish's
 * consumer, from the I-files that are kept. The output goes to a directory of its own and is
 * compared with the job's, if that is still there.
 */
public final class ReduceRerun {
  private static final String MARKER = FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER;

  private final RerunOrder order;
  private final PrintStream out;

  /**
   * @param out for people
   */
  public ReduceRerun(RerunOrder order, PrintStream out) {
    this.order = order;
    this.out = out;
  }

  /**
   * Runs the task.
   *
   * @param cluster the cluster's configuration
   * @return how its output compares with the job's own
   * @throws IOException also when files of the job are missing, or the output's directory is there
   */
  public OutputComparison run(JobConf cluster)
      throws IOException, InterruptedException, ClassNotFoundException {
    JobFiles files = new JobFiles(order, cluster);
    JobConf conf = files.conf();
    File local = Files.createTempDirectory("sailfish-reduce-").toFile();
    try {
      conf.setClassLoader(files.classes(conf, local));
      Thread.currentThread().setContextClassLoader(conf.getClassLoader());
      byte[] work = work(files, conf);
      Path original = FileOutputFormat.getOutputPath(conf);
      Path fresh = fresh(original, conf);
      prepare(conf, fresh, local);
      execute(conf, work);
      return compare(fresh, original, conf);
    } finally {
      FileUtil.fullyDelete(local);
    }
  }

  /** The task's work of the plan that is kept; empty: the partition of its number. */
  private byte[] work(JobFiles files, JobConf conf) throws IOException {
    ReducePlan plan = order.planned() ? files.plan(conf) : null;
    if (plan == null && order.planned() && ReduceMode.of(conf).auto()) {
      throw new IOException(
          ("the reduce work of %s may have been made by a plan, of which no copy was kept"
                  + " (sailfish.reduce.work.plans): name one of the job's staging directory with"
                  + " --staging DIR, or read partition %d as a whole with --no-plan")
              .formatted(order.job(), order.task()));
    }
    int tasks = plan == null ? conf.getNumReduceTasks() : plan.works().size();
    if (order.task() < 0 || order.task() >= tasks) {
      throw new IOException(
          "%s has no reduce task %d: choose one from 0 to %d"
              .formatted(order.job(), order.task(), tasks - 1));
    }
    return plan == null
        ? new byte[0]
        : new TaskWork(plan.works().get(order.task()), tasks).encode();
  }

  /** The output's directory, which is not there yet. */
  private Path fresh(Path original, JobConf conf) throws IOException {
    if (original == null && order.output().isEmpty()) {
      throw new IOException(
          order.job() + " writes to no directory of files: name one with --output DIR");
    }
    Path fresh =
        order.output().isPresent()
            ? new Path(order.output().get())
            : new Path(original.getParent(), original.getName() + "-reduce-task-" + order.task());
    if (fresh.getFileSystem(conf).exists(fresh)) {
      throw new IOException(
          fresh + " is there already: delete it, or name another directory with --output DIR");
    }
    return fresh;
  }

  private void prepare(JobConf conf, Path fresh, File local) {
    FileOutputFormat.setOutputPath(conf, fresh);
    conf.set(MRConfig.LOCAL_DIR, local.toString());
    conf.setBoolean(MARKER, false); // it is no whole job's output
    order.metaserver().ifPresent(place -> conf.set("sailfish.metaserver.address", place));
    order.key().ifPresent(key -> conf.getCredentials().addSecretKey(SailfishJob.ACCESS_KEY, key));
  }

  private void execute(JobConf conf, byte[] work)
      throws IOException, InterruptedException, ClassNotFoundException {
    JobID job = JobID.forName(order.job());
    TaskAttemptID attempt = new TaskAttemptID(new TaskID(job, TaskType.REDUCE, order.task()), 0);
    int maps = conf.getInt(MRJobConfig.NUM_MAPS, 0);
    for (int i = 0; i < order.winners().length; i += 2) {
      maps = Math.max(maps, order.winners()[i] + 1);
    }
    OutputCommitter committer = committer(conf, attempt);
    JobContextImpl context = new JobContextImpl(conf, job);
    committer.setupJob(context);
    boolean done = false;
    try {
      Task task = RemoteWorkTask.local(attempt, maps, work);
      task.localizeConfiguration(conf);
      task.setConf(conf);
      task.run(conf, KeptWinners.umbilical(job, maps, order.winners(), out));
      committer.commitJob(context);
      done = true;
    } finally {
      if (!done) {
        committer.abortJob(context, JobStatus.State.FAILED);
      }
    }
  }

  private static OutputCommitter committer(JobConf conf, TaskAttemptID attempt)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (!conf.getUseNewReducer()) {
      return conf.getOutputCommitter();
    }
    TaskAttemptContextImpl context = new TaskAttemptContextImpl(conf, attempt);
    return ReflectionUtils.newInstance(context.getOutputFormatClass(), conf)
        .getOutputCommitter(context);
  }

  private OutputComparison compare(Path fresh, Path original, JobConf conf) throws IOException {
    out.println("Output of reduce task " + order.task() + " is in " + fresh);
    if (original == null) {
      return new OutputComparison(0, List.of(), List.of());
    }
    OutputComparison comparison = OutputComparison.of(fresh, original, conf);
    if (comparison.same() > 0) {
      out.println("files with the same bytes as in " + original + ": " + comparison.same());
    }
    comparison
        .missing()
        .forEach(name -> out.println(name + " has nothing to compare with in " + original));
    comparison.different().forEach(out::println);
    return comparison;
  }
}
