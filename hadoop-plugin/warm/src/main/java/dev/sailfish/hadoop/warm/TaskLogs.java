package dev.sailfish.hadoop.warm;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskLog;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log files per attempt. The first one of a process has those that Hadoop has given to the process:
 * {@code syslog}, {@code stdout}, {@code stderr}. Each later one has files beside them that have
 * its id at their end.
 */
final class TaskLogs {
  private static final Logger LOG = LoggerFactory.getLogger(TaskLogs.class);

  private static final String DEFINE = "-D";
  private static final String SHUFFLE = "yarn.app.mapreduce.shuffle.";
  private static final String SHUFFLE_FILE = SHUFFLE + "logfile";
  private static final String ROOT_FILE = "hadoop.root.logfile";

  private final File directory;
  private PrintStream out;
  private PrintStream err;
  private boolean configurable = true;

  private TaskLogs(File directory) {
    this.directory = directory;
  }

  /** In the container's log directory, as Hadoop has told it to this process. */
  static TaskLogs ofProcess() {
    String directory = System.getProperty(YarnConfiguration.YARN_APP_CONTAINER_LOG_DIR);
    TaskLogs logs = new TaskLogs(directory == null ? null : new File(directory));
    logs.configureFirst();
    return logs;
  }

  /**
   * Begins the files of an attempt that is not the first of this process.
   *
   * @throws IOException when they cannot be written
   */
  void begin(Task task, Configuration job) throws IOException {
    if (directory == null) {
      return;
    }
    String suffix = "." + task.getTaskID();
    out = stream(TaskLog.LogName.STDOUT + suffix);
    err = stream(TaskLog.LogName.STDERR + suffix);
    System.setOut(out);
    System.setErr(err);
    setProperties(task, job, suffix);
    configure();
  }

  /** Ends the output streams of the last attempt, if it had its own; they are not replaced. */
  void end() {
    System.out.flush();
    System.err.flush();
    if (out != null) {
      out.close();
      err.close();
    }
  }

  private PrintStream stream(String name) throws IOException {
    return new PrintStream(new FileOutputStream(new File(directory, name), true), false);
  }

  /** What Hadoop would have put into the command of a container for this task. */
  private static void setProperties(Task task, Configuration job, String suffix) {
    List<String> options = new ArrayList<>();
    MRApps.addLog4jSystemProperties(task, options, job);
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith(SHUFFLE))
        .forEach(System::clearProperty);
    for (String option : options) {
      int value = option.indexOf('=');
      if (option.startsWith(DEFINE)
          && !option.contains(ApplicationConstants.LOG_DIR_EXPANSION_VAR)) {
        System.setProperty(option.substring(DEFINE.length(), value), option.substring(value + 1));
      }
    }
    for (String file : List.of(ROOT_FILE, SHUFFLE_FILE)) {
      String name = System.getProperty(file);
      if (name != null) {
        System.setProperty(file, name + suffix);
      }
    }
  }

  /** A configuration file of the job's is in the working directory, and not on the class path. */
  private void configureFirst() {
    try {
      if (directory != null && !Log4jFiles.isConfigured()) {
        Log4jFiles.configure();
      }
    } catch (LinkageError e) {
      LOG.debug("There is no log4j 1", e);
    }
  }

  private void configure() {
    if (!configurable) {
      return;
    }
    try {
      configurable = Log4jFiles.configure();
    } catch (LinkageError e) {
      configurable = false;
    }
    if (!configurable) {
      LOG.warn("All tasks of this JVM log into one file: it has no log4j 1 with a configuration");
    }
  }
}
