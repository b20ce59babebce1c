package dev.sailfish.workflow.step;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application that recomputes lost files, followed through YARN as its owner. Thread-safe. */
public final class ApplicationStep implements RunningStep {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationStep.class);
  private static final int MOST_CAUSE = 2_000;

  private final YarnClient yarn;
  private final ApplicationId application;
  private final Owner owner;
  private final Path staging;
  private final Configuration cluster;
  private End end;

  private record End(State state, String cause) {}

  /**
   * @param yarn stopped with the step
   * @param owner closed with the step
   * @param staging removed with the step
   */
  public ApplicationStep(
      YarnClient yarn,
      ApplicationId application,
      Owner owner,
      Path staging,
      Configuration cluster) {
    this.yarn = yarn;
    this.application = application;
    this.owner = owner;
    this.staging = staging;
    this.cluster = cluster;
  }

  /**
   * Follows a step that a manager before this one has begun.
   *
   * @param cluster finds YARN and the staging area
   */
  public static RunningStep adopt(
      Configuration cluster, StepRequest request, ApplicationId application) throws IOException {
    Owner owner = new Owner(request.record().getOwner());
    return owner.run(
        () -> {
          YarnClient yarn = YarnClient.createYarnClient();
          yarn.init(new YarnConfiguration(cluster));
          yarn.start();
          Path staging = staging(cluster, owner, application);
          return new ApplicationStep(yarn, application, owner, staging, cluster);
        });
  }

  /** The directory in which a step has what its containers need; as its owner. */
  public static Path staging(Configuration cluster, Owner owner, ApplicationId application)
      throws IOException {
    Path area = MRApps.getStagingAreaDir(cluster, owner.name());
    String name = TypeConverter.fromYarn(application).toString();
    return area.getFileSystem(cluster).makeQualified(new Path(area, name));
  }

  @Override
  public ApplicationId application() {
    return application;
  }

  @Override
  public State state() throws IOException {
    report();
    return end == null ? State.RUNNING : end.state();
  }

  @Override
  public int progress() throws IOException {
    ApplicationReport report = report();
    if (report == null) {
      return 100;
    }
    return Math.round(100 * Math.max(0, Math.min(1, report.getProgress())));
  }

  @Override
  public String cause() throws IOException {
    report();
    return end == null ? "" : end.cause();
  }

  @Override
  public synchronized void kill() throws IOException {
    if (end == null) {
      owner.run(
          () -> {
            yarn.killApplication(application);
            return null;
          });
    }
  }

  /** What YARN says of it; null: it has ended. */
  private synchronized ApplicationReport report() throws IOException {
    if (end != null) {
      return null;
    }
    ApplicationReport report = owner.run(this::ask);
    if (report == null) {
      end = new End(State.FAILED, application + " is not known to YARN any more");
    } else if (isEnded(report.getYarnApplicationState())) {
      end = end(report);
    }
    if (end == null) {
      return report;
    }
    cleanUp();
    return null;
  }

  private ApplicationReport ask() throws IOException, YarnException {
    try {
      return yarn.getApplicationReport(application);
    } catch (ApplicationNotFoundException e) {
      return null;
    }
  }

  private static boolean isEnded(YarnApplicationState state) {
    return switch (state) {
      case FINISHED, FAILED, KILLED -> true;
      default -> false;
    };
  }

  private End end(ApplicationReport report) {
    String said = report.getDiagnostics() == null ? "" : report.getDiagnostics().strip();
    if (report.getFinalApplicationStatus() == FinalApplicationStatus.SUCCEEDED) {
      LOG.info("{} has succeeded: {}", application, said.replace('\n', ' '));
      return new End(State.SUCCEEDED, "");
    }
    String cause =
        "%s ended as %s: %s"
            .formatted(
                application,
                report.getFinalApplicationStatus(),
                said.isEmpty() ? "YARN does not say why" : said);
    return new End(State.FAILED, cause.substring(0, Math.min(cause.length(), MOST_CAUSE)));
  }

  private void cleanUp() {
    try {
      owner.run(() -> staging.getFileSystem(cluster).delete(staging, true));
      owner.close();
    } catch (IOException e) {
      LOG.warn("What {} has left is not removed: {}", application, staging, e);
    }
    yarn.stop();
  }
}
