package dev.sailfish.hadoop.am.rerun;

import dev.sailfish.hadoop.am.PlanFile;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.RunJar;

/**
 * Where configuration, plan and jar of a job are when it has ended. Its staging directory has all
 * three, where the job had it kept; the history has the configuration.
 */
final class JobFiles {
  private static final String NO_CONF =
      "the configuration of %s is not there any more: looked for %s; name it with --conf FILE, or"
          + " a copy of the job's staging directory with --staging DIR";

  private final RerunOrder order;
  private final Configuration cluster;
  private final Path staging;

  /**
   * @param cluster tells the cluster's directories
   */
  JobFiles(RerunOrder order, Configuration cluster) throws IOException {
    this.order = order;
    this.cluster = cluster;
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    staging =
        order.staging().isPresent()
            ? new Path(order.staging().get())
            : new Path(MRApps.getStagingAreaDir(cluster, user), order.job());
  }

  /** The job's configuration, as its tasks had it. */
  JobConf conf() throws IOException {
    Path file = confFile();
    JobConf conf = new JobConf(false);
    try (FSDataInputStream in = file.getFileSystem(cluster).open(file)) {
      conf.addResource(in, file.toString());
      conf.size(); // reads it
    }
    return conf;
  }

  private Path confFile() throws IOException {
    if (order.conf().isPresent()) {
      return new Path(order.conf().get());
    }
    String name = order.job() + "_conf.xml";
    List<Path> places =
        List.of(
            new Path(staging, "job.xml"),
            new Path(
                JobHistoryUtils.getConfiguredHistoryIntermediateDoneDirPrefix(cluster),
                "*/" + name),
            new Path(
                JobHistoryUtils.getConfiguredHistoryServerDoneDirPrefix(cluster),
                "*/*/*/*/" + name));
    for (Path place : places) {
      FileStatus[] found = place.getFileSystem(cluster).globStatus(place);
      if (found != null && found.length > 0) {
        return found[0].getPath();
      }
    }
    throw new FileNotFoundException(NO_CONF.formatted(order.job(), places));
  }

  /** The job's plan of reduce work, in its staging directory or the copy; null: there is none. */
  ReducePlan plan(JobConf conf) throws IOException {
    ReducePlan plan = PlanFile.in(staging, conf).load();
    PlanFile copy = plan == null ? PlanFile.copy(order.job(), conf) : null;
    return copy == null ? plan : copy.load();
  }

  /** The job's jar, or null when it has none. */
  private Path jar(JobConf conf) throws IOException {
    if (order.jar().isEmpty() && conf.getJar() == null) {
      return null;
    }
    List<Path> places =
        order.jar().isPresent()
            ? List.of(new Path(order.jar().get()))
            : List.of(new Path(staging, MRJobConfig.JOB_JAR), new Path(conf.getJar()));
    for (Path place : places) {
      if (place.getFileSystem(conf).exists(place)) {
        return place;
      }
    }
    throw new FileNotFoundException(
        "the jar of %s is not there any more: looked for %s; name it with --jar JAR"
            .formatted(order.job(), places));
  }

  /**
   * What finds the job's classes: its jar, what that has in {@code classes/} and {@code lib/}, and
   * then this JVM's.
   *
   * @param directory to unpack into
   */
  ClassLoader classes(JobConf conf, File directory) throws IOException {
    Path jar = jar(conf);
    if (jar == null) {
      return JobFiles.class.getClassLoader();
    }
    File local = new File(directory, "job.jar");
    jar.getFileSystem(conf).copyToLocalFile(false, jar, new Path(local.toURI()), true);
    File unpacked = new File(directory, "job");
    RunJar.unJar(local, unpacked, RunJar.MATCH_ANY);
    List<URL> path = new ArrayList<>();
    path.add(local.toURI().toURL());
    path.add(new File(unpacked, "classes/").toURI().toURL());
    File[] libraries = new File(unpacked, "lib").listFiles();
    for (File library : libraries == null ? new File[0] : libraries) {
      path.add(library.toURI().toURL());
    }
    return new URLClassLoader(path.toArray(new URL[0]), JobFiles.class.getClassLoader());
  }
}
