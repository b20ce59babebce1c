package dev.sailfish.hadoop.am;

import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Copies the plan that a job of this user has, or had, to a local file. What {@code bin/sailfish
 * plan} runs with Hadoop's jars and a cluster's configuration; what is wrong is the last line that
 * it prints.
 */
public final class PlanExport {
  private PlanExport() {}

  /**
   * Looks in the job's staging directory, and where copies are kept.
   *
   * @param job its id, {@code job_1_1}
   * @throws FileNotFoundException when there is no plan; tells where one would be
   * @throws IOException when it cannot be read, or is damaged
   */
  static ReducePlan find(String job, JobConf conf) throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    JobID id = JobID.forName(job);
    Path staging = new Path(MRApps.getStagingAreaDir(conf, user), id.toString());
    PlanFile used = PlanFile.in(staging, conf);
    PlanFile copy = PlanFile.copy(id.toString(), conf);
    ReducePlan plan = used.load();
    plan = plan == null && copy != null ? copy.load() : plan;
    if (plan == null) {
      throw new FileNotFoundException(
          "There is no plan of %s in %s%s. A job with sailfish.reduce.work=auto has one there"
                  .formatted(id, used, copy == null ? "" : " or in " + copy)
              + " from the end of its maps to its own end, and a copy stays after that where"
              + " sailfish.reduce.work.plans names a directory.");
    }
    return plan;
  }

  /**
   * Writes the file, or says why not and writes none.
   *
   * @param args the job's id, and the file to write
   */
  public static void main(String[] args) {
    try {
      ReducePlan plan = find(args[0], new JobConf(new YarnConfiguration()));
      Files.write(java.nio.file.Path.of(args[1]), PlanCodec.encode(plan));
    } catch (IOException | RuntimeException e) {
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      System.out.println(message.lines().findFirst().orElse(message));
    }
  }
}
