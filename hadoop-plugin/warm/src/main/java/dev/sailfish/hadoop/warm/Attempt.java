package dev.sailfish.hadoop.warm;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt, with all that is its own: thread and thread group, configuration, user, tokens. Runs
 * once, on a thread of its own that looks like the first thread of a process.
 */
final class Attempt {
  private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);

  private final ChildProcess process;
  private final Task task;
  private final TaskUmbilicalProtocol umbilical;
  private final JobConf job;
  private UserGroupInformation user;
  private volatile boolean succeeded;

  /**
   * An attempt that has not begun.
   *
   * @param classes the class loader of its user's classes
   */
  Attempt(ChildProcess process, Task task, ClassLoader classes) {
    this.process = process;
    this.task = task;
    umbilical = process.umbilical();
    job = process.jobXml().copy(process.base());
    job.setClassLoader(classes);
  }

  /**
   * Runs it and waits for its end, however long the ApplicationMaster lets it run.
   *
   * @return whether it has succeeded; else the ApplicationMaster knows why
   */
  boolean run() throws InterruptedException {
    Thread thread = new Thread(new ThreadGroup("main"), this::runReported, "main");
    thread.setContextClassLoader(job.getClassLoader());
    thread.start();
    thread.join();
    return succeeded;
  }

  /** The loader of its user's classes, which may be one that the job has asked Hadoop for. */
  ClassLoader classes() {
    return job.getClassLoader();
  }

  /** Failures are told as Hadoop's task tells them. */
  private void runReported() {
    try {
      runInside();
      succeeded = true;
    } catch (FSError e) {
      LOG.error("FSError from child", e);
      report(() -> umbilical.fsError(task.getTaskID(), e.getMessage()));
    } catch (Exception e) {
      LOG.warn("Exception running child : {}", StringUtils.stringifyException(e));
      cleanUp();
      report(() -> process.parts().reportError(e, task, umbilical));
    } catch (Throwable e) {
      LOG.error("Error running child : {}", StringUtils.stringifyException(e));
      String why =
          e.getCause() == null ? e.getMessage() : StringUtils.stringifyException(e.getCause());
      report(() -> umbilical.fatalError(task.getTaskID(), why, false));
    }
  }

  private void runInside() throws Exception {
    ChildProcess.setCallerContext(task.getTaskID());
    process.parts().setTaskId(task.getTaskID());
    Credentials credentials = new Credentials(process.loginUser().getCredentials());
    process.parts().configureTask(job, task, credentials, process.jobToken());
    String properties = MRApps.getSystemPropertiesToLog(job);
    if (properties != null) {
      LOG.info(properties);
    }
    process.startJvmMetrics(job);
    user = UserGroupInformation.createRemoteUser(System.getenv(Environment.USER.toString()));
    user.addCredentials(credentials);
    MRApps.setJobClassLoader(job);
    PrivilegedExceptionAction<Void> run =
        () -> {
          process.parts().setSpillKey(task);
          FileSystem.get(job).setWorkingDirectory(job.getWorkingDirectory());
          task.run(job, umbilical);
          return null;
        };
    user.doAs(run);
  }

  private void cleanUp() {
    PrivilegedExceptionAction<Void> cleanUp =
        () -> {
          process.parts().taskCleanup(task, umbilical);
          return null;
        };
    try {
      if (user == null) {
        cleanUp.run();
      } else {
        user.doAs(cleanUp);
      }
    } catch (Exception e) {
      LOG.info("Exception cleaning up: {}", StringUtils.stringifyException(e));
    }
  }

  /** A call to the ApplicationMaster. */
  private interface Report {
    void send() throws IOException;
  }

  /** Not when the process is being ended: then that is why the attempt has failed. */
  private static void report(Report report) {
    if (ShutdownHookManager.get().isShutdownInProgress()) {
      return;
    }
    try {
      report.send();
    } catch (IOException e) {
      LOG.warn("The ApplicationMaster cannot be told", e);
    }
  }
}
