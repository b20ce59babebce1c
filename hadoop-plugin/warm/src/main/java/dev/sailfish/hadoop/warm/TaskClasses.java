package dev.sailfish.hadoop.warm;

import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which class loader each task gets for the classes of its user. Used by one thread. */
final class TaskClasses {
  private static final Logger LOG = LoggerFactory.getLogger(TaskClasses.class);

  private final List<URL> urls;
  private final boolean userFirst;
  private final boolean hadoopsOwn;
  private final ClassLoader hadoop = TaskClasses.class.getClassLoader();
  private ClassLoader kept;
  private boolean told;

  TaskClasses(List<URL> urls, boolean userFirst, boolean hadoopsOwn) {
    this.urls = urls;
    this.userFirst = userFirst;
    this.hadoopsOwn = hadoopsOwn;
  }

  /** As the ApplicationMaster has started this process. */
  static TaskClasses ofProcess(Configuration job) {
    return new TaskClasses(
        UserClassPath.ofProcess(),
        job.getBoolean(MRJobConfig.MAPREDUCE_JOB_USER_CLASSPATH_FIRST, false),
        job.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false));
  }

  /**
   * Whether each task's static state begins anew: by Sailfish's loader, or by Hadoop's for jobs.
   */
  boolean isolated() {
    return urls != null || hadoopsOwn;
  }

  /** The loader of Hadoop's classes. */
  ClassLoader hadoop() {
    return hadoop;
  }

  /**
   * The loader for the next task; Hadoop may put the job's own in its place. It is that of the task
   * before, where nobody can tell: when all that it has loaded are {@link ConstantClass}es.
   */
  ClassLoader begin() {
    if (kept == null) {
      kept = urls == null ? hadoop : new UserClassLoader(urls, hadoop, userFirst);
    }
    return kept;
  }

  /**
   * Lets go of the classes and jars of a task that has ended, unless the next one may have them.
   *
   * @param classes its loader
   */
  void end(ClassLoader classes) throws IOException {
    if (classes != kept) {
      close(classes);
    }
    String why = kept instanceof UserClassLoader own ? own.difference() : null;
    if (why != null) {
      tell(why);
      close(kept);
      kept = null;
    }
  }

  private void tell(String why) {
    if (!told) {
      LOG.info("The user's classes are loaded anew for each task: {}", why);
      told = true;
    }
  }

  private void close(ClassLoader classes) throws IOException {
    if (classes != hadoop && classes instanceof Closeable own) {
      own.close();
    }
  }
}
