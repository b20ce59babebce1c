package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.auto.WorkCounter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.mapred.JvmTask;
import org.apache.hadoop.mapred.Task;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the attempts that the ApplicationMaster gives to this process, one after another. */
public final class WarmChild {
  private static final Logger LOG = LoggerFactory.getLogger(WarmChild.class);

  private static final long FIRST_WAIT_MS = 10;
  private static final long LONGEST_WAIT_MS = 200;
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(30);

  private final ChildProcess process;
  private final TaskClasses classes;
  private final TaskLogs logs;
  private final HadoopState hadoop;
  private final JvmState jvm;
  private final WorkingDirectory directory;
  private final ProcessInspection inspection;

  /** Whether maps count what their starts cost. */
  private final boolean countsStarts;

  private int attempts;

  private WarmChild(ChildProcess process, TaskLogs logs) throws IOException {
    this.process = process;
    this.logs = logs;
    classes = TaskClasses.ofProcess(process.base());
    hadoop = new HadoopState(process, classes.isolated());
    jvm = new JvmState();
    directory = WorkingDirectory.ofProcess();
    SailfishJob job = SailfishJob.keys(process.base());
    inspection = new ProcessInspection(classes.hadoop(), job.get(JobKey.WARM_HEAP_LEFT));
    countsStarts = job.whyAuto() != null;
  }

  /**
   * Looks whether this Hadoop has what is needed.
   *
   * @throws UnsupportedOperationException when it has not
   */
  public static void prepare() {
    new ChildParts();
  }

  /**
   * Returns when the ApplicationMaster has no more tasks for this process, or when it cannot run
   * another one; ends the process where threads are left that would keep it.
   *
   * @param args of Hadoop's {@code YarnChild}: host and port of the ApplicationMaster, the attempt
   *     that the container was started for, the number of the container
   * @throws Exception when the process cannot begin, or cannot ask for its first task
   */
  public static void run(String[] args) throws Exception {
    Thread.currentThread().setName("sailfish-child");
    TaskLogs logs = TaskLogs.ofProcess();
    try (ChildProcess process = ChildProcess.start(new ChildParts(), args)) {
      new WarmChild(process, logs).runAll();
    }
    ProcessEnd.endIfKept();
  }

  private void runAll() throws Exception {
    List<String> reasons = runNext();
    while (reasons != null) {
      // Nothing here holds the classes of the attempt any more: they do not count as left.
      if (reasons.isEmpty()) {
        reasons.addAll(inspection.heapReasons());
      }
      if (!reasons.isEmpty()) {
        LOG.info("This JVM ends after {} tasks: {}", attempts, String.join("; ", reasons));
        return;
      }
      reasons = runNext();
    }
  }

  /** Returns why this process cannot run another one; null: nobody wants it to. */
  private List<String> runNext() throws Exception {
    JvmTask next = next();
    if (next == null || next.shouldDie()) {
      return null;
    }
    Task task = next.getTask();
    if (attempts++ > 0) {
      if (countsStarts) {
        WorkCounter.nextAttempt();
      }
      logs.begin(task, process.base());
      HadoopState.renewMetrics(() -> ChildProcess.startMetrics(task.getTaskID().getTaskType()));
    }
    Attempt attempt = new Attempt(process, task, classes.begin());
    boolean succeeded = attempt.run();
    ClassLoader own = attempt.classes();
    List<String> reasons = succeeded ? cleanUp(own) : List.of(task.getTaskID() + " has failed");
    classes.end(own);
    return reasons;
  }

  /** Returns what cannot be put back. */
  private List<String> cleanUp(ClassLoader own) {
    long began = System.nanoTime();
    List<String> reasons = new ArrayList<>();
    try {
      hadoop.restore(own);
      logs.end();
      jvm.restore();
      reasons.addAll(inspection.reasons(own));
      for (String changed : directory.sweep()) {
        reasons.add(changed + " in the working directory is changed");
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("The process cannot be made as it was", e);
      reasons.add(e.toString());
    }
    LOG.debug("Put back in {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    return reasons;
  }

  /** Asks until there is an answer; null when the ApplicationMaster is gone. */
  private JvmTask next() throws Exception {
    long waitMs = FIRST_WAIT_MS;
    long answeredNs = System.nanoTime();
    while (true) {
      try {
        JvmTask answer = process.ask();
        if (answer != null) {
          return answer;
        }
        answeredNs = System.nanoTime();
      } catch (IOException e) {
        if (attempts == 0) {
          throw e;
        }
        if (System.nanoTime() - answeredNs > SILENCE_NS) {
          LOG.info("This JVM ends after {} tasks: the ApplicationMaster is gone", attempts, e);
          return null;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitMs));
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 3 / 2);
    }
  }
}
