package dev.sailfish.workflow.yarn;

import dev.sailfish.ground.wire.Clock;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks of MapReduce jobs that wait for lost files. Which ones do is not said anywhere: those of a
 * job that waits, and whose progress has been the same for some time. Their attempts are killed,
 * which is no failure of a task: another attempt runs later. Tasks of other applications are left
 * alone, as theirs would count as failed. For one thread.
 */
final class WaitingTasks implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingTasks.class);
  private static final long STILL_NS = TimeUnit.SECONDS.toNanos(10);

  private final Configuration conf;
  private final Clock clock;
  private final Map<TaskAttemptID, Still> seen = new HashMap<>();
  private Cluster cluster;

  /** Progress, and since when it has been the same. */
  private record Still(float progress, long sinceNs) {}

  /** An attempt that waits. */
  private record Waiting(Job job, TaskAttemptID attempt, long startMs) {}

  WaitingTasks(Configuration conf, Clock clock) {
    this.conf = conf;
    this.clock = clock;
  }

  /**
   * Kills attempts that wait, those first that began last.
   *
   * @param applications where to look
   * @param count how many, at most
   * @return how many were killed; 0 also because it has to be seen first which ones wait
   */
  int takeAway(Collection<String> applications, int count) throws IOException {
    List<Waiting> waiting = new ArrayList<>();
    Set<TaskAttemptID> running = new HashSet<>();
    for (String application : applications) {
      try {
        look(application, running, waiting);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while asking for tasks of " + application, e);
      } catch (IOException e) {
        LOG.debug("{} does not say how its tasks are", application, e);
      }
    }
    seen.keySet().retainAll(running);
    waiting.sort(Comparator.comparingLong(Waiting::startMs).reversed());
    int killed = 0;
    for (Waiting one : waiting.subList(0, Math.min(count, waiting.size()))) {
      LOG.info(
          "{} waits for a lost file: it gives its container to what recomputes it", one.attempt);
      one.job.killTask(one.attempt);
      seen.remove(one.attempt);
      killed++;
    }
    return killed;
  }

  private void look(String application, Set<TaskAttemptID> running, List<Waiting> waiting)
      throws IOException, InterruptedException {
    if (cluster == null) {
      cluster = new Cluster(conf);
    }
    ApplicationId id = ApplicationId.fromString(application);
    Job job = cluster.getJob(new JobID(Long.toString(id.getClusterTimestamp()), id.getId()));
    if (job == null) {
      return; // it is none of MapReduce, or has ended
    }
    for (TaskType type : List.of(TaskType.MAP, TaskType.REDUCE)) {
      for (TaskReport task : job.getTaskReports(type)) {
        if (task.getCurrentStatus() == TIPStatus.RUNNING) {
          look(job, task, running, waiting);
        }
      }
    }
  }

  private void look(Job job, TaskReport task, Set<TaskAttemptID> running, List<Waiting> waiting) {
    long nowNs = clock.nanoTime();
    for (TaskAttemptID attempt : task.getRunningTaskAttemptIds()) {
      running.add(attempt);
      Still before = seen.get(attempt);
      if (before == null || before.progress != task.getProgress()) {
        seen.put(attempt, new Still(task.getProgress(), nowNs));
      } else if (nowNs - before.sinceNs >= STILL_NS) {
        waiting.add(new Waiting(job, attempt, task.getStartTime()));
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }
}
