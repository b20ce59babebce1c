package dev.sailfish.hadoop.am.warm;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * How the JVM of a task is started: Hadoop's way, with another main class, and with the user's
 * classes apart where each task has its own class loader.
 */
final class LaunchContexts {
  /** Where the user's classes are, as a class path. */
  private static final String USER_CLASSES = "SAILFISH_USER_CLASSPATH";

  // By name: a class that is not on this class path, and one that is not public.
  private static final String STOCK_MAIN = " org.apache.hadoop.mapred.YarnChild ";
  private static final String STOCK_JAVA = Environment.JAVA_HOME.$() + "/bin/java ";
  private static final String MAIN = " dev.sailfish.hadoop.warm.SailfishChild ";

  private final JobConf conf;
  private final WarmSettings settings;
  private ClassPaths classPaths;

  /** Of a container: all of it, Hadoop's part with Sailfish, the user's part. */
  private record ClassPaths(String whole, String hadoop, String user) {}

  LaunchContexts(JobConf conf, WarmSettings settings) {
    this.conf = conf;
    this.settings = settings;
  }

  /** The environment that a job's configuration sets for tasks of a kind. */
  static Map<String, String> environment(JobConf conf, boolean map) {
    Map<String, String> environment = new HashMap<>();
    MRApps.setEnvFromInputProperty(
        environment,
        map ? MRJobConfig.MAP_ENV : MRJobConfig.REDUCE_ENV,
        conf.get("mapred.child.env"),
        conf);
    return environment;
  }

  /**
   * Changes how a container is started.
   *
   * @return whether it can run more than one task; else nothing was changed
   * @throws IOException when the file systems of the job's class path cannot be asked
   */
  boolean warm(ContainerLaunchContext context) throws IOException {
    List<String> commands = context.getCommands();
    if (commands.size() != 1 || !commands.get(0).contains(STOCK_MAIN)) {
      return false;
    }
    boolean apartHere =
        settings.isolated() && !conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false);
    Map<String, String> environment = new HashMap<>(context.getEnvironment());
    if (apartHere && !setApart(environment)) {
      return false;
    }
    context.setEnvironment(environment);
    context.setCommands(List.of(warm(commands.get(0))));
    return true;
  }

  /**
   * The JVM takes the place of its shell, where Hadoop leaves it a child: a shell dies of the
   * signal that ends a container before its JVM does, and then nobody waits for that, or knows its
   * CPU time.
   */
  private String warm(String command) {
    String exec = command.startsWith(STOCK_JAVA) ? "exec " : "";
    return exec
        + command.replace(
            STOCK_MAIN,
            " --add-opens=java.base/java.lang=ALL-UNNAMED"
                + " --add-opens=java.base/java.net=ALL-UNNAMED"
                + " --add-opens=java.base/jdk.internal.loader=ALL-UNNAMED"
                + " -Dsailfish.warm.tasks="
                + settings.mode()
                + MAIN);
  }

  /** False where somebody else has a hand in the class path. */
  private boolean setApart(Map<String, String> environment) throws IOException {
    if (classPaths == null) {
      classPaths = classPaths();
    }
    String key = Environment.CLASSPATH.name();
    if (!classPaths.whole().equals(environment.get(key))) {
      return false;
    }
    environment.put(key, classPaths.hadoop());
    environment.put(USER_CLASSES, classPaths.user());
    return true;
  }

  /** As Hadoop makes them of the job: one for all, or two with its class loader for jobs. */
  private ClassPaths classPaths() throws IOException {
    Map<String, String> one = new HashMap<>();
    MRApps.setClasspath(one, conf);
    JobConf withLoader = new JobConf(conf);
    withLoader.setBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, true);
    Map<String, String> two = new HashMap<>();
    MRApps.setClasspath(two, withLoader);
    return new ClassPaths(
        one.get(Environment.CLASSPATH.name()),
        two.get(Environment.CLASSPATH.name()),
        two.get(Environment.APP_CLASSPATH.name()));
  }
}
