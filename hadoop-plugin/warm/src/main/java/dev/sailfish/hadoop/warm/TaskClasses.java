package dev.sailfish.hadoop.warm;

import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Which class loader each task gets for the classes of its user. */
final class TaskClasses {
  private final List<URL> urls;
  private final boolean userFirst;
  private final boolean hadoopsOwn;
  private final ClassLoader hadoop = TaskClasses.class.getClassLoader();

  private TaskClasses(List<URL> urls, boolean userFirst, boolean hadoopsOwn) {
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

  /** The loader for the next task; Hadoop may put the job's own in its place. */
  ClassLoader begin() {
    return urls == null ? hadoop : new UserClassLoader(urls, hadoop, userFirst);
  }

  /**
   * Lets go of the jars of a task that has ended.
   *
   * @param classes its loader
   */
  void end(ClassLoader classes) throws IOException {
    if (classes != hadoop && classes instanceof Closeable own) {
      own.close();
    }
  }
}
